import type { Awaitable } from '../basics/awaitable.ts';
import type { InteractionId } from '../basics/id.ts';
import type { Jsonified } from '../basics/json.ts';
import type { FormValues } from '../form/field.ts';
import type { InteractionAnswer } from '../prompt/answer.ts';
import type { Actor, InteractionSpec, InteractionType } from '../prompt/interaction.ts';

/** Description of a call for people. */
export type CallDescription = Pick<InteractionSpec, 'title' | 'prompt' | 'subject' | 'risk' | 'view'>;

/** Decision of a hook: exactly one of the three (contract §5). */
export type Outcome =
  | { readonly complete: unknown }
  | { readonly reprompt: Partial<InteractionSpec> }
  | { readonly pending: PendingOutcome };

/** The tool continues, and the prompt may be answered later (INT9). */
export interface PendingOutcome {
  /** Message for the caller. */
  readonly message: string;
  /** False if no answer is expected any more: the prompt closes. */
  readonly queued?: boolean;
  /** How long it can still be answered, in milliseconds; 7 days unless the server's settings differ (PLG11). */
  readonly ttlMs?: number;
}

/**
 * Decision of `onLateResponse`: another text for the message, a refusal with its reason, or undefined for the default message
 * (INT9).
 */
export type LateOutcome = { readonly text: string } | { readonly refuse: string } | undefined;

/** What a person said under an open prompt (REV4). */
export interface InteractionComment {
  readonly interactionId: InteractionId;
  readonly commentId: string;
  readonly text: string;
  readonly by: Actor;
  /** ISO 8601 time of the comment. */
  readonly at: string;
  /** Id of the comment of the same prompt that it answers. */
  readonly replyTo?: string;
}

/** Decision of `onComment`: what people read below the comment, as plain text of at most 8 KiB, or undefined to say nothing. */
export type CommentOutcome = { readonly reply: string } | undefined;
export type CommentHook = (comment: InteractionComment) => Awaitable<CommentOutcome>;

export interface InteractionHooks {
  /** Called with an answer. Without this hook the promise resolves with the answer. */
  readonly onResponse?: (answer: InteractionAnswer) => Awaitable<Outcome>;
  /** Called if the deadline comes first. Without this hook the promise resolves with `{ok: false, error: 'timeout'}`. */
  readonly onTimeout?: () => Awaitable<Outcome>;
  /** Called at most once, if the turn is cancelled or the prompt withdrawn while it is open. Its result is ignored. */
  readonly onCancel?: () => Awaitable<void>;
  /** Called with an answer that arrives after the tool continued. */
  readonly onLateResponse?: (answer: InteractionAnswer) => Awaitable<LateOutcome>;
  /**
   * Called with each comment of a person while the prompt is open, one after another; after a kill again with those that it was
   * handling. It settles nothing: if it fails, people get no reply. Without this hook the agent that called the tool replies, if it
   * can; `'caller'` leaves that to the program that called the tool (REV4).
   */
  readonly onComment?: CommentHook | 'caller';
}

export interface Retractable {
  /**
   * Withdraws the question when it aborts: its prompt closes as `withdrawn`, unless an answer came first, and the promise rejects
   * with that code. If the abort reason is a `ToolError`, people see its message, too; with the code `orphaned`, which says that
   * the program that asked has died, the prompt closes as that.
   */
  readonly signal?: AbortSignal | undefined;
}

export type InteractionDemand = InteractionSpec & InteractionHooks & Retractable;

/** Type of a value for a field that the form lacks, so that the type checker reports it. */
interface NoSuchField {
  readonly noSuchField: never;
}

type ByField<Values, Id> = Values extends object
  ? { [Name in keyof Values]: string extends Name ? Values[Name] : Name extends Id ? Values[Name] : NoSuchField }
  : Values;

type MembersByField<D> = Pick<D, Extract<keyof D, 'initialValues' | 'fieldErrors'>>;

/** A request whose initial values and errors belong to fields of its form, as far as their ids are literal types (PLG8). */
export type OfOwnFields<D extends InteractionDemand, Id extends string> = D & {
  readonly inputSchema?: { fields: { id: Id }[] } | undefined;
} & { [Member in keyof MembersByField<D>]: ByField<D[Member], Id> };

/** Result of `requestInteraction` if the prompt became pending. */
export interface PendingResult {
  readonly pending: true;
  readonly queued: boolean;
  readonly message: string;
}

/** Result of `requestInteraction` if nobody answered in time and there is no hook for that. */
export interface TimeoutResult {
  readonly ok: false;
  readonly error: 'timeout';
  /** Always absent; declared so that a result can be tested for them first. */
  readonly action?: undefined;
  readonly input?: undefined;
}

/** The answer to a request of this type, by its action. */
export type AnswerTo<T extends InteractionType> = T extends 'input'
  ? InteractionAnswer & ({ readonly action: 'submit'; readonly input: FormValues } | { readonly action: 'cancel' })
  : InteractionAnswer & { readonly action: 'approve' | 'deny' | 'cancel' };

/** Result of the promise for a hook's outcome; a reprompt asks again. */
type Settled<O> = O extends { readonly complete: infer V }
  ? Jsonified<V>
  : O extends { readonly pending: unknown }
    ? PendingResult
    : never;

type HookResult<F> = F extends (...args: never[]) => infer R ? Settled<Awaited<R>> : unknown;

/** Result of a request's promise, by its type and hooks (PLG9). */
export type InteractionResult<D extends InteractionDemand> =
  | ('onResponse' extends keyof D ? HookResult<D['onResponse']> : AnswerTo<D['type']>)
  | ('onTimeout' extends keyof D
      ? HookResult<D['onTimeout']>
      : D extends { readonly timeoutMs: null }
        ? never
        : TimeoutResult);
