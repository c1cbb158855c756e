import { RefusalError, type WireErrorCode } from '../basics/error.ts';
import type { AnswerId, Instant, InteractionId, MessageId, ResponseId, ToolCallId, TurnId } from '../basics/id.ts';
import type { Json } from '../basics/json.ts';
import type { Matches } from '../form/field-check.ts';
import type { CallbackOutcome, ChatEvent, CodedError, NewEvent, Payload, ToolCall } from '../log/event.ts';
import type { CallResult } from '../plugin/tool.ts';
import type { Answer, InteractionAnswer } from '../prompt/answer.ts';
import type { Actor, InteractionRequest, InteractionResponse } from '../prompt/interaction.ts';
import type { Tally } from '../prompt/quorum.ts';
import type { Principal } from '../prompt/role.ts';

/** The ids and names of the turn that a command may start; the core cannot make them up. */
export interface TurnPlan {
  readonly turnId: TurnId;
  readonly agent: string;
  readonly model?: string | undefined;
  readonly owner: string;
}

/** What a decision needs beyond the state and the command. The session's writer supplies it. */
export interface Facts {
  readonly now: Instant;
  /** Whether a value matches a field's pattern. */
  readonly matches: Matches;
  /** The turn that starts, if the command starts one. */
  readonly plan: TurnPlan;
}

/** A prompt before `decide` gives it an id and a deadline. */
export type PromptDraft = Omit<InteractionRequest, 'interactionId' | 'attempt' | 'replaces' | 'expiresAt'>;

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
  /** Who answers. `decide` checks what it may do (SEC4). */
  readonly principal: Principal;
  /** The call is hidden from it by now, whomever this prompt asked (TEAM1). */
  readonly isOutsider?: boolean;
  /** Whether the client has interaction enabled (INT15). */
  readonly isEnabled: boolean;
  /** The prompt, if the head no longer holds it. */
  readonly past?: PastPrompt | undefined;
  /** What is stored under this answerId, if that is a vote (TEAM3). */
  readonly pastVote?: ChatEvent<'interaction_vote'> | undefined;
  /** The principals among those who voted whose tokens were revoked since. */
  readonly revoked?: readonly string[];
  /** A hook in this process's memory writes the message of a late answer (INT9). */
  readonly hasLateHook?: boolean;
}

/** Everything that can be asked of a session; `decide` is the only way in (EVT2). */
export type Command =
  | { readonly type: 'send'; readonly message: Payload<'user_message'> }
  | {
      readonly type: 'edit_queued';
      readonly messageId: MessageId;
      readonly text: string;
      readonly by: Actor;
      /** Who edits. `decide` checks what it may do (TEAM2). */
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
      /** The tool is gone or cannot be re-entered: its prompts end as `orphaned` (DUR6). */
      readonly isOrphaned?: boolean;
    }
  /** A program calls a tool in a session of its own: no agent wrote it (ASK1). */
  | { readonly type: 'call'; readonly call: ToolCall & { readonly by: Actor } }
  /** A program no longer needs its call (ASK4). */
  | {
      readonly type: 'withdraw';
      readonly toolCallId: ToolCallId;
      readonly note?: string | undefined;
      /** Who withdraws. `decide` checks what it may do (SEC4). */
      readonly principal: Principal;
    }
  /** Another process takes over the turn. `isRewritten`: a message was being written and starts over (DUR7). */
  | {
      readonly type: 'resume';
      readonly owner: string;
      readonly isRewritten: boolean;
      /** Whose turn it was when this was asked: another that has taken it over meanwhile keeps it (OPS4). */
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
  | {
      readonly type: 'expire';
      readonly interactionId: InteractionId;
      /** The deadline that passed. The wall clock is not consulted: it may have been set since (INT10). */
      readonly deadline: Instant;
    }
  /** A step of a prompt's escalation is due, counted from 1 (TEAM5). */
  | { readonly type: 'escalate'; readonly interactionId: InteractionId; readonly step: number }
  | {
      readonly type: 'close_expired';
      readonly interactionId: InteractionId;
      readonly reason: 'timeout' | 'handler_error';
    }
  /** The tool needs no answer any more. An answer that came first counts (INT4). */
  | { readonly type: 'retract'; readonly interactionId: InteractionId; readonly note?: string | undefined }
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
  /** A program outside calls back, or the time to do so is over: whichever is first (PLG11). */
  | {
      readonly type: 'settle_callback';
      readonly toolCallId: ToolCallId;
      readonly key: string;
      readonly outcome: CallbackOutcome;
    }
  | { readonly type: 'end_session' }
  | {
      readonly type: 'end_turn';
      readonly turnId: TurnId;
      readonly status: 'completed' | 'error';
      readonly error?: CodedError | undefined;
      readonly usage?: Json | undefined;
      /** What a failed message had streamed; its text is kept. */
      readonly responseId?: ResponseId | undefined;
      readonly streamed?: readonly WrittenBlock[];
    }
  | { readonly type: 'change'; readonly change: Payload<'session_changed'> }
  | { readonly type: 'report'; readonly error: CodedError; readonly turnId: TurnId | undefined };

/**
 * The outcome of a command: events to append, a refusal, or the repeat of an earlier acceptance (FRM6).
 * An accepted command without events came too late to matter.
 */
export type Decision =
  | {
      readonly kind: 'accepted';
      readonly events: readonly NewEvent[];
      /** The accepted answer. It reaches the waiting handler in memory and never enters the log (INT17). */
      readonly given?: GivenAnswer;
      /** The principals whose votes it rests on: their tokens must not have been revoked when it is stored (TEAM3). */
      readonly voters?: readonly string[];
    }
  /** `votes`: it was a vote, and this was its count (TEAM3). */
  | { readonly kind: 'repeated'; readonly seq: number; readonly votes?: Tally }
  | { readonly kind: 'refused'; readonly refusal: RefusalError };

/** An accepted answer and the prompt that it answers. */
export interface GivenAnswer {
  readonly request: InteractionRequest;
  readonly answer: InteractionAnswer;
}

export function accept(...events: readonly NewEvent[]): Decision {
  return { kind: 'accepted', events };
}

/** `message` says more than the code's own sentence. */
export function refuse(code: WireErrorCode, details?: unknown, message?: string): Decision {
  return { kind: 'refused', refusal: new RefusalError(code, { details, ...(message !== undefined && { message }) }) };
}

/** Details of `already_answered`: who won, and the prompt that is open in the slot now (INT5). */
export interface WinnerDetails {
  readonly by: InteractionResponse['by'];
  readonly at: string;
  readonly event: ChatEvent<'interaction_response'>;
  readonly current?: InteractionId;
}
