import type { InteractionAnswer } from './answer.ts';
import type { Awaitable } from './awaitable.ts';
import type { InteractionSpec } from './interaction.ts';

/** A hook's verdict: exactly one of the three (contract §5). */
export type Outcome =
  | { readonly complete: unknown }
  | { readonly reprompt: Partial<InteractionSpec> }
  | { readonly pending: { readonly message: string; readonly queued?: boolean } };

/** What the late hook says: another text for the message, a refusal in words, or nothing for the usual message (INT9). */
export type LateOutcome = { readonly text: string } | { readonly refuse: string } | undefined;

export interface InteractionHooks {
  /** An answer came. Without this hook the promise resolves with the answer. */
  readonly onResponse?: (answer: InteractionAnswer) => Awaitable<Outcome>;
  /** The deadline came first. Without this hook the promise resolves with `{ok: false, error: 'timeout'}`. */
  readonly onTimeout?: () => Awaitable<Outcome>;
  /** The turn was cancelled while the prompt was open. At most once; its result counts for nothing. */
  readonly onCancel?: () => Awaitable<void>;
  /** An answer came after the tool went on. */
  readonly onLateResponse?: (answer: InteractionAnswer) => Awaitable<LateOutcome>;
}

export type InteractionDemand = InteractionSpec & InteractionHooks;

/** What `requestInteraction` resolves with where the prompt went pending. */
export interface PendingResult {
  readonly pending: true;
  readonly queued: boolean;
  readonly message: string;
}
