import { RefusalError, type WireErrorCode } from '../basics/error.ts';
import type { AnswerId, Instant, InteractionId, MessageId, ResponseId, ToolCallId, TurnId } from '../basics/id.ts';
import type { Json } from '../basics/json.ts';
import type { Matches } from '../form/field-check.ts';
import type { CallbackOutcome, ChatEvent, CodedError, NewEvent, Payload, ToolCall } from '../log/event.ts';
import type { Voter } from '../log/vote.ts';
import type { CallResult } from '../plugin/tool.ts';
import type { Answer, InteractionAnswer } from '../prompt/answer.ts';
import type { StoredAssertion } from '../prompt/assertion.ts';
import type { Actor, InteractionResponse } from '../prompt/interaction.ts';
import type { InteractionRequest } from '../prompt/interaction-request.ts';
import type { Tally } from '../prompt/quorum.ts';
import type { Principal } from '../prompt/role.ts';

/** Ids and names for a turn that the command may start; passed in, because the core generates no ids. */
export interface TurnPlan {
  readonly turnId: TurnId;
  readonly agent: string;
  readonly model?: string | undefined;
  readonly owner: string;
}

/** The inputs of a decision besides the state and the command. The session's writer supplies them. */
export interface Facts {
  readonly now: Instant;
  /** Whether a value matches a field's pattern. */
  readonly matches: Matches;
  /** The turn that starts, if the command starts one. */
  readonly plan: TurnPlan;
}

/** A prompt before `decide` gives it an id and a deadline. */
export type PromptDraft = Without<InteractionRequest, 'interactionId' | 'attempt' | 'replaces' | 'expiresAt'>;

/** `Omit` for each member of a union. */
type Without<Union, Names extends PropertyKey> = Union extends unknown ? Omit<Union, Names> : never;

/** One block of what an agent wrote in a message. */
export interface WrittenBlock {
  readonly kind: 'text' | 'thinking';
  readonly block: number;
  readonly text: string;
}

/** A settled prompt, read from the log because the head no longer holds it. */
export interface PastPrompt {
  readonly request: InteractionRequest;
  readonly settlement: ChatEvent<'interaction_response'> | ChatEvent<'interaction_closed'>;
}

/** What the server found about the assertion of an answer. Whoever makes the command has verified it. */
export interface StepUpProof {
  /** A verified assertion over this answer, by a passkey of the person who gives it. */
  readonly assertion?: StoredAssertion | undefined;
  /** What is wrong with the assertion or missing, as a sentence. */
  readonly fault?: string | undefined;
  /** Address of the page on which the prompt can be answered. */
  readonly url?: string | undefined;
}

export interface AnswerCommand {
  readonly type: 'answer';
  readonly callId: ToolCallId;
  readonly interactionId: InteractionId;
  readonly answerId: AnswerId;
  /** Digest of the prompt that the person saw, if the client sent it. */
  readonly digest: string | undefined;
  readonly answer: Answer;
  readonly by: Actor;
  /** The grant that answers on behalf of the person who gave it (APR4). */
  readonly grantId?: string;
  /** Label of that grant's rule. */
  readonly rule?: string;
  /** Principal that answers. `decide` checks its permissions (SEC4). */
  readonly principal: Principal;
  /** Whether the principal can no longer see the call, even if the prompt asked them (TEAM1). */
  readonly isOutsider?: boolean;
  /** Whether the client has interaction enabled (INT15). */
  readonly isEnabled: boolean;
  /** The prompt, if the head no longer holds it. */
  readonly past?: PastPrompt | undefined;
  /** The vote that is stored under this answerId, if there is one (TEAM3). */
  readonly pastVote?: ChatEvent<'interaction_vote'> | undefined;
  /** Principals among the voters whose tokens have been revoked since. */
  readonly revoked?: readonly string[];
  /** What is known of the passkey that must have signed the answer, if the prompt demands one (SIGN2). */
  readonly stepUp?: StepUpProof | undefined;
  /** Whether the grant that answers was itself given by an answer that a passkey signed. */
  readonly isOfSignedGrant?: boolean;
  /** Whether a hook in this process's memory writes the message of a late answer (INT9). */
  readonly hasLateHook?: boolean;
}

/** All commands of a session; `decide` is the only way to change it (EVT2). */
export type Command =
  | { readonly type: 'send'; readonly message: Payload<'user_message'> }
  | {
      readonly type: 'edit_queued';
      readonly messageId: MessageId;
      readonly text: string;
      readonly by: Actor;
      /** Principal that edits. `decide` checks its permissions (TEAM2). */
      readonly principal: Principal;
    }
  | { readonly type: 'remove_queued'; readonly messageId: MessageId }
  | {
      readonly type: 'write';
      readonly turnId: TurnId;
      readonly responseId: ResponseId;
      readonly blocks: readonly WrittenBlock[];
      readonly calls: readonly ToolCall[];
    }
  | {
      readonly type: 'return';
      readonly toolCallId: ToolCallId;
      readonly returned: CallResult;
      /** Whether the tool no longer exists or cannot be re-entered: its prompts end as `orphaned` (DUR6). */
      readonly isOrphaned?: boolean;
    }
  /** A program calls a tool in a session of its own, without an agent (ASK1). */
  | { readonly type: 'call'; readonly call: ToolCall & { readonly by: Actor } }
  /** A program no longer needs its call (ASK4). */
  | {
      readonly type: 'withdraw';
      readonly toolCallId: ToolCallId;
      readonly note?: string | undefined;
      /** Principal that withdraws. `decide` checks its permissions (SEC4). */
      readonly principal: Principal;
    }
  /** Another process takes over the turn. `isRewritten`: a message was being written and starts over (DUR7). */
  | {
      readonly type: 'resume';
      readonly owner: string;
      readonly isRewritten: boolean;
      /** Expected owner of the turn: if another has taken it over meanwhile, that one keeps it. */
      readonly from?: string;
    }
  | {
      readonly type: 'ask';
      readonly draft: PromptDraft;
      readonly isGate?: boolean;
      /** An open prompt of this slot that asked something else; it closes in the same append (DUR5). */
      readonly supersedes?: InteractionId;
    }
  | AnswerCommand
  /** A person denies several prompts at once and says what to do instead (REV5). */
  | {
      readonly type: 'deny_all';
      readonly answers: readonly AnswerCommand[];
      readonly message: Payload<'user_message'>;
    }
  /** Somebody says something under a prompt, which settles nothing and moves no deadline (REV4). */
  | {
      readonly type: 'comment';
      readonly comment: Payload<'interaction_comment'>;
      /** Whether it answers a comment that this prompt does not have. */
      readonly isReplyUnknown?: boolean;
    }
  | {
      readonly type: 'expire';
      readonly interactionId: InteractionId;
      /** The deadline that passed. The wall clock is ignored, because it may have been set back since (INT10). */
      readonly deadline: Instant;
    }
  /** A step of a prompt's escalation is due, counted from 1 (TEAM5). */
  | { readonly type: 'escalate'; readonly interactionId: InteractionId; readonly step: number }
  | {
      readonly type: 'close_expired';
      readonly interactionId: InteractionId;
      readonly reason: 'timeout' | 'handler_error';
    }
  /** The tool no longer needs an answer. An answer that came first counts (INT4). */
  | {
      readonly type: 'retract';
      readonly interactionId: InteractionId;
      readonly note?: string | undefined;
      /** Whether the program that asked has died: the prompt ends as `orphaned` (ACP1). */
      readonly isOrphaned?: boolean;
    }
  | { readonly type: 'reprompt'; readonly last: InteractionRequest; readonly draft: PromptDraft }
  | {
      readonly type: 'defer';
      readonly last: InteractionRequest;
      readonly message: string;
      /** False if no answer is expected any more: the prompt closes. */
      readonly isQueued: boolean;
      readonly ttlMs: number;
    }
  | { readonly type: 'follow_up'; readonly interactionId: InteractionId; readonly text: string }
  | {
      readonly type: 'cancel';
      readonly responseId: ResponseId | undefined;
      readonly streamed: readonly WrittenBlock[];
      readonly usage?: Json | undefined;
    }
  /** An outside program called back, or the wait for it timed out, whichever is first (PLG11). */
  | {
      readonly type: 'settle_callback';
      readonly toolCallId: ToolCallId;
      readonly key: string;
      readonly outcome: CallbackOutcome;
    }
  /** Stores private records of calls, without an event (DUR3). */
  | { readonly type: 'record'; readonly toolCallIds: readonly ToolCallId[] }
  | { readonly type: 'end_session' }
  | {
      readonly type: 'end_turn';
      readonly turnId: TurnId;
      readonly status: 'completed' | 'error';
      readonly error?: CodedError | undefined;
      readonly usage?: Json | undefined;
      /** Text that a failed message had streamed; it is kept. */
      readonly responseId?: ResponseId | undefined;
      readonly streamed?: readonly WrittenBlock[];
    }
  | { readonly type: 'change'; readonly change: Payload<'session_changed'> }
  | { readonly type: 'report'; readonly error: CodedError; readonly turnId: TurnId | undefined };

/**
 * The outcome of a command: events to append, a refusal, or the repeat of an earlier acceptance (FRM6). An accepted command
 * without events came too late to change anything.
 */
export type Decision =
  | {
      readonly kind: 'accepted';
      readonly events: readonly NewEvent[];
      /** The accepted answer. It is passed to the waiting handler in memory and never enters the log (INT17). */
      readonly given?: GivenAnswer;
      /** Principals whose votes it depends on: their tokens must still be valid when it is stored (TEAM3). */
      readonly voters?: readonly Voter[];
    }
  /** `votes`: the tally after the repeated vote (TEAM3). */
  | { readonly kind: 'repeated'; readonly seq: number; readonly votes?: Tally }
  | { readonly kind: 'refused'; readonly refusal: RefusalError };

/** An accepted answer and the prompt that it answers. */
export interface GivenAnswer {
  readonly request: InteractionRequest;
  readonly answer: InteractionAnswer;
  /** Credential id of the passkey that signed it: a grant that it gives then covers prompts that demand one (SIGN2). */
  readonly passkey?: string;
}

export function accept(...events: readonly NewEvent[]): Decision {
  return { kind: 'accepted', events };
}

/** @param message - replaces the code's default sentence */
export function refuse(code: WireErrorCode, details?: unknown, message?: string): Decision {
  return { kind: 'refused', refusal: new RefusalError(code, { details, ...(message !== undefined && { message }) }) };
}

/** Details of `already_answered`: who won, and the prompt that is now open in the slot (INT5). */
export interface WinnerDetails {
  readonly by: InteractionResponse['by'];
  readonly at: string;
  readonly event: ChatEvent<'interaction_response'>;
  readonly current?: InteractionId;
}
