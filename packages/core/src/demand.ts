import type { InteractionAnswer } from './answer.ts';
import type { Awaitable } from './awaitable.ts';
import type { InteractionSpec } from './interaction.ts';

/** What a hook decides: exactly one of the three (contract §5). */
export type Outcome =
  | { readonly complete: unknown }
  | { readonly reprompt: Partial<InteractionSpec> }
  | { readonly pending: { readonly message: string; readonly queued?: boolean } };

/** What `onLateResponse` decides: another text for the message, a refusal in words, or undefined for the default message (INT9). */
export type LateOutcome = { readonly text: string } | { readonly refuse: string } | undefined;

export interface InteractionHooks {
  /** Called with an answer. Without this hook the promise resolves with the answer. */
  readonly onResponse?: (answer: InteractionAnswer) => Awaitable<Outcome>;
  /** Called if the deadline comes first. Without this hook the promise resolves with `{ok: false, error: 'timeout'}`. */
  readonly onTimeout?: () => Awaitable<Outcome>;
  /** Called at most once, if the turn is cancelled while the prompt is open. Its result is ignored. */
  readonly onCancel?: () => Awaitable<void>;
  /** Called with an answer that comes after the tool went on. */
  readonly onLateResponse?: (answer: InteractionAnswer) => Awaitable<LateOutcome>;
}

export type InteractionDemand = InteractionSpec & InteractionHooks;

/** What `requestInteraction` resolves with if the prompt went pending. */
export interface PendingResult {
  readonly pending: true;
  readonly queued: boolean;
  readonly message: string;
}
