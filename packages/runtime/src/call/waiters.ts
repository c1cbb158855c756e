import type {
  ChatEvent,
  CloseReason,
  FileReference,
  InteractionAnswer,
  InteractionHooks,
  InteractionId,
  InteractionRequest,
  InteractionResponse,
  Json,
  ToolCallId,
} from '@parleyhq/core';
import type { Change } from '../session/change.ts';
import type { SessionObserver } from '../session/session-writer.ts';
import { answerOf } from '../session/stored-answer.ts';
import { attachedTo, type Journal } from './journal.ts';
import type { LateAnswers } from './late-answers.ts';
import type { SideHooks } from './side-hooks.ts';

/** How a wait for a prompt ended. */
export type Settlement =
  /** `isForeign`: as in `Change`; the secrets of the answer are encrypted. */
  | { readonly kind: 'answered'; readonly answer: InteractionAnswer; readonly isForeign?: boolean }
  | { readonly kind: 'expired' }
  | { readonly kind: 'closed'; readonly reason: CloseReason };

type Comment = ChatEvent<'interaction_comment'>;

interface Waiter {
  readonly slot: string;
  readonly hooks: InteractionHooks;
  readonly commentsTo: InteractionRequest['commentsTo'];
  settle(settlement: Settlement): void;
}

/** The waits for the prompts of one call. Events of the log end them, whoever caused those. */
export class Waiters implements SessionObserver {
  readonly #toolCallId: ToolCallId;
  readonly #late: LateAnswers;
  readonly #side: SideHooks;
  readonly #waiters = new Map<InteractionId, Waiter>();
  /** Prompts that were settled before their handler waited for them again, after a restart. */
  readonly #early = new Map<InteractionId, { readonly how: Settlement; readonly response?: InteractionResponse }>();
  /** Comments on prompts for which no handler waits, or not yet. */
  readonly #comments: Comment[] = [];
  #hasLeft = false;
  /** Answer to the newest prompt, by slot. */
  readonly #answers = new Map<string, InteractionResponse>();
  /** Edited arguments, by slot. */
  readonly #edits = new Map<string, Json>();
  /** Files attached to all answers, by id: a reprompt replaces an answer, but the person has shown its files. */
  readonly #files = new Map<string, FileReference>();

  constructor(toolCallId: ToolCallId, late: LateAnswers, side: SideHooks) {
    this.#toolCallId = toolCallId;
    this.#late = late;
    this.#side = side;
  }

  /**
   * Resolves when the prompt is settled; must be called before anybody can answer a new prompt.
   * @param unhandled - its comments that an earlier process did not handle
   */
  wait(
    { interactionId, slot, commentsTo }: InteractionRequest,
    hooks: InteractionHooks,
    unhandled: readonly Comment[] = [],
  ): Promise<Settlement> {
    const early = this.#early.get(interactionId);
    this.#note(slot, early?.response);
    if (early) {
      this.#early.delete(interactionId);
      if (isCancelled(early.how)) this.#side.cancel(interactionId, hooks);
      return Promise.resolve(early.how);
    }
    const settled = new Promise<Settlement>((settle) =>
      this.#waiters.set(interactionId, { slot, hooks, commentsTo, settle }),
    );
    const missed = this.#comments.filter(({ payload }) => payload.interactionId === interactionId);
    for (const comment of new Map([...unhandled, ...missed].map((each) => [each.id, each])).values())
      this.#side.comment(comment, hooks, commentsTo);
    return settled;
  }

  /** Answers that count: the last of each slot, with its edit of the arguments, even if an earlier answer made that. */
  get answers(): readonly InteractionResponse[] {
    return [...this.#answers].map(([slot, response]) => {
      const editedArgs = this.#edits.get(slot);
      return editedArgs === undefined ? response : { ...response, editedArgs };
    });
  }

  /** Records edited arguments as the tool reads them. */
  noteEdit(slot: string, args: Json): void {
    this.#edits.set(slot, args);
  }

  /** Files that people attached to any answer of the call, in the order of the answers (REV6). */
  get files(): readonly FileReference[] {
    return [...this.#files.values()];
  }

  /** Restores answers given before a restart. To be called before any change is handled. */
  recall({ answers, files }: Pick<Journal, 'answers' | 'files'>): void {
    for (const [slot, response] of answers) this.#answers.set(slot, response);
    this.#addFiles(files);
  }

  /** Stops waiting because the tool goes on without the answer; the hook for a late one stays registered. */
  goOn(id: InteractionId, { onLateResponse }: InteractionHooks): void {
    this.#waiters.delete(id);
    if (onLateResponse) this.#late.keep(id, onLateResponse);
  }

  /** Ignores all further changes. */
  leave(): void {
    this.#hasLeft = true;
  }

  onChange({ events, answer, isForeign }: Change): void {
    if (this.#hasLeft) return;
    for (const event of events) {
      switch (event.type) {
        case 'interaction_response':
          this.#settle(
            event,
            { kind: 'answered', answer: answer ?? answerOf(event.payload, event.timestamp), isForeign },
            event.payload,
          );
          break;
        case 'interaction_expired':
          this.#settle(event, { kind: 'expired' });
          break;
        case 'interaction_closed':
          this.#close(event);
          break;
        case 'interaction_comment':
          this.#comment(event);
          break;
        default:
      }
    }
  }

  #settle(
    { payload }: ChatEvent<'interaction_response' | 'interaction_expired' | 'interaction_closed'>,
    how: Settlement,
    response?: InteractionResponse,
  ) {
    const { toolCallId, interactionId } = payload;
    if (toolCallId !== this.#toolCallId) return;
    if (response) this.#addFiles(attachedTo(response));
    const waiter = this.#waiters.get(interactionId);
    if (waiter) this.#note(waiter.slot, response);
    else this.#early.set(interactionId, { how, ...(response && { response }) });
    if (how.kind !== 'expired') this.#waiters.delete(interactionId); // an expired prompt can still be cancelled
    waiter?.settle(how);
  }

  #comment(event: Comment): void {
    const { toolCallId, interactionId, isAskers } = event.payload;
    if (toolCallId !== this.#toolCallId || isAskers) return;
    const waiter = this.#waiters.get(interactionId);
    if (waiter) this.#side.comment(event, waiter.hooks, waiter.commentsTo);
    else this.#comments.push(event);
  }

  #note(slot: string, response: InteractionResponse | undefined): void {
    if (response) this.#answers.set(slot, response);
    else this.#answers.delete(slot);
  }

  #addFiles(files: readonly FileReference[]): void {
    for (const file of files) this.#files.set(file.fileId, file);
  }

  #close(event: ChatEvent<'interaction_closed'>): void {
    const { interactionId, reason } = event.payload;
    const waiter = this.#waiters.get(interactionId);
    const how = { kind: 'closed', reason } as const;
    this.#settle(event, how);
    if (waiter && isCancelled(how)) this.#side.cancel(interactionId, waiter.hooks);
  }
}

function isCancelled(how: Settlement): boolean {
  return how.kind === 'closed' && cancelReasons.has(how.reason);
}

const cancelReasons: ReadonlySet<CloseReason> = new Set(['cancelled', 'session_ended', 'withdrawn']);
