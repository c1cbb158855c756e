import type { Answer, InteractionAnswer } from './answer.ts';
import { RefusalError, type WireErrorCode } from './error.ts';
import type { ChatEvent, CodedError, NewEvent, Payload, ToolCall } from './event.ts';
import type { Matches } from './field-check.ts';
import type { AnswerId, Instant, InteractionId, MessageId, ResponseId, ToolCallId, TurnId } from './id.ts';
import type { Actor, InteractionRequest, InteractionResponse } from './interaction.ts';
import type { Json } from './json.ts';
import type { Principal } from './role.ts';

/** How a turn would start, should this command start one: ids and names that the core cannot make up. */
export interface TurnPlan {
  readonly turnId: TurnId;
  readonly agent: string;
  readonly model?: string | undefined;
  readonly owner: string;
}

/** What a decision needs that is neither in the state nor in the command. The session's writer supplies it. */
export interface Facts {
  readonly now: Instant;
  /** Whether a value matches a field's pattern. */
  readonly matches: Matches;
  /** The turn that starts, if the command starts one. */
  readonly plan: TurnPlan;
}

/** A prompt as asked, before `decide` names it and sets its deadline. */
export type PromptDraft = Omit<InteractionRequest, 'interactionId' | 'attempt' | 'replaces' | 'expiresAt'>;

/** What an agent wrote in one message, in its order. */
export interface WrittenBlock {
  readonly kind: 'text' | 'thinking';
  readonly block: number;
  readonly text: string;
}

/** A settled prompt that the head no longer holds, from the log. */
export interface PastPrompt {
  readonly request: InteractionRequest;
  readonly settlement: ChatEvent<'interaction_response'> | ChatEvent<'interaction_closed'>;
}

export interface AnswerCommand {
  readonly type: 'answer';
  readonly callId: ToolCallId;
  readonly interactionId: InteractionId;
  readonly answerId: AnswerId;
  /** Of the prompt that the person saw, if the client says. */
  readonly digest: string | undefined;
  readonly answer: Answer;
  readonly by: Actor;
  /** The grant that answers in its giver's name (APR4). */
  readonly grantId?: string;
  /** Who answers; what it may do here is for the law to say (SEC4). */
  readonly principal: Principal;
  /** Whether the client has interaction enabled (INT15). */
  readonly isEnabled: boolean;
  /** The prompt, if the head no longer holds it. */
  readonly past?: PastPrompt | undefined;
  /** A hook in this process's memory writes the message of a late answer (INT9). */
  readonly hasLateHook?: boolean;
}

/** Everything that can be wanted of a session. One door: `decide` (EVT2). */
export type Command =
  | { readonly type: 'send'; readonly message: Payload<'user_message'> }
  | { readonly type: 'edit_queued'; readonly messageId: MessageId; readonly text: string }
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
      readonly outcome: { readonly result: Json } | { readonly error: CodedError };
      /** The tool is gone or cannot be re-entered: its prompts end as `orphaned` (DUR6). */
      readonly isOrphaned?: boolean;
    }
  /** Another process goes on with the turn; `isRewritten`: a message was being written and begins anew (DUR7). */
  | { readonly type: 'resume'; readonly owner: string; readonly isRewritten: boolean }
  | {
      readonly type: 'ask';
      readonly draft: PromptDraft;
      readonly isGate?: boolean;
      /** An open prompt of the slot that asked something else: it closes in the same append (DUR5). */
      readonly supersedes?: InteractionId;
    }
  | AnswerCommand
  | {
      readonly type: 'expire';
      readonly interactionId: InteractionId;
      /** The deadline that came. What the clock says meanwhile counts for nothing: somebody may have set it (INT10). */
      readonly deadline: Instant;
    }
  | {
      readonly type: 'close_expired';
      readonly interactionId: InteractionId;
      readonly reason: 'timeout' | 'handler_error';
    }
  | { readonly type: 'reprompt'; readonly last: InteractionRequest; readonly draft: PromptDraft }
  | {
      readonly type: 'defer';
      readonly last: InteractionRequest;
      readonly message: string;
      /** False: nothing will follow, the prompt closes. */
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
  | { readonly type: 'end_session' }
  | {
      readonly type: 'end_turn';
      readonly turnId: TurnId;
      readonly status: 'completed' | 'error';
      readonly error?: CodedError | undefined;
      readonly usage?: Json | undefined;
      /** What a message that failed had streamed: its text is kept. */
      readonly responseId?: ResponseId | undefined;
      readonly streamed?: readonly WrittenBlock[];
    }
  | { readonly type: 'change'; readonly change: Payload<'session_changed'> }
  | { readonly type: 'report'; readonly error: CodedError; readonly turnId: TurnId | undefined };

/**
 * What a command comes to: events to append, a refusal, or the repeat of what was answered before (FRM6).
 * Events may be none: the command came too late to matter and needs no answer.
 */
export type Decision =
  | {
      readonly kind: 'accepted';
      readonly events: readonly NewEvent[];
      /** The answer that was accepted. It goes to the waiting handler beside the log, never into it (INT17). */
      readonly given?: GivenAnswer;
    }
  | { readonly kind: 'repeated'; readonly seq: number }
  | { readonly kind: 'refused'; readonly refusal: RefusalError };

/** An accepted answer and the prompt that it answers. */
export interface GivenAnswer {
  readonly request: InteractionRequest;
  readonly answer: InteractionAnswer;
}

export function accept(...events: readonly NewEvent[]): Decision {
  return { kind: 'accepted', events };
}

export function refuse(code: WireErrorCode, details?: unknown): Decision {
  return { kind: 'refused', refusal: new RefusalError(code, { details }) };
}

/** What an already answered prompt tells the loser: the winner and what is asked now (INT5). */
export interface WinnerDetails {
  readonly by: InteractionResponse['by'];
  readonly at: string;
  readonly event: ChatEvent<'interaction_response'>;
  readonly current?: InteractionId;
}
