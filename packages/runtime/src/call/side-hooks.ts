import {
  type ChatEvent,
  type CommentHook,
  checkCommentOutcome,
  commentKey,
  type InteractionHooks,
  type InteractionId,
  type InteractionRequest,
  nameReply,
  ToolError,
} from '@parleyhq/core';
import type { Logger } from 'pino';
import type { CallClock } from './call-clock.ts';
import type { CallWriter } from './call-writer.ts';
import { Journal } from './journal.ts';

type Comment = ChatEvent<'interaction_comment'>;

/** The hooks of one call that decide nothing: their failures are logged, and the call goes on. */
export class SideHooks {
  readonly #writer: CallWriter;
  readonly #clock: CallClock;
  readonly #log: Logger;
  /** Resolves when the comments so far are handled: one after another, so that replies come in their order. */
  #handled: Promise<void> = Promise.resolve();

  constructor(writer: CallWriter, clock: CallClock, log: Logger) {
    this.#writer = writer;
    this.#clock = clock;
    this.#log = log;
  }

  /** Runs after the call's signal has aborted, and at most once because the prompt is already settled (INT11). */
  cancel(interactionId: InteractionId, { onCancel }: InteractionHooks): void {
    if (!onCancel) return;
    queueMicrotask(() => {
      this.#clock
        .runHook(`hook:${interactionId}`, async () => onCancel())
        .catch((error: unknown) => this.#report('onCancel', error));
    });
  }

  /** Passes a comment on to whoever replies in this process, and stores the reply (REV4). */
  comment(comment: Comment, { onComment }: InteractionHooks, commentsTo: InteractionRequest['commentsTo']): void {
    if (typeof onComment !== 'function') return; // the program gets it with its call
    this.#handled = this.#handled
      .then(() => this.#reply(comment, onComment, commentsTo === 'agent'))
      .catch((error: unknown) => this.#report('onComment', error));
  }

  /** That the comment was handled is stored with the reply, or without one: it is not passed on again. */
  async #reply(comment: Comment, onComment: CommentHook, isAgents: boolean): Promise<void> {
    const { toolCallId, interactionId } = comment.payload;
    const id = nameReply(comment.id);
    const { reader, head } = this.#writer.session;
    const isReplied = async () => (await reader.findEvent(commentKey(interactionId, id))) !== undefined; // by another node
    const isSettled = !head.prompts.some(({ request }) => request.interactionId === interactionId);
    if (isSettled || (await isReplied())) return;
    const handled = Journal.handledRecord(comment);
    const reply = await this.#ask(comment, onComment).catch(async (error: unknown) => {
      await this.#writer.store(handled).catch(() => undefined); // report the original error
      throw error;
    });
    if (reply === undefined) return this.#writer.store(handled);
    if (await isReplied()) return;
    const by = isAgents
      ? agentActor(this.#writer.session.head.turn?.agent ?? '')
      : toolActor(this.#writer.call.toolName);
    const said = { toolCallId, interactionId, commentId: id, text: reply, by, replyTo: comment.payload.commentId };
    await this.#writer.perform({ type: 'comment', comment: { ...said, isAskers: true } }, { records: [handled] });
  }

  async #ask({ id, payload, timestamp: at }: Comment, onComment: CommentHook): Promise<string | undefined> {
    const { interactionId, commentId, text, by, replyTo } = payload;
    const asked = { interactionId, commentId, text, by, at, ...(replyTo !== undefined && { replyTo }) };
    const returned = await this.#clock.runAside(`comment:${id}`, async () => onComment(asked));
    const outcome = checkCommentOutcome(returned);
    if (!outcome) this.#log.debug({ ...this.#about, commentId }, 'onComment returned no reply');
    return outcome?.reply;
  }

  #report(hook: string, error: unknown): void {
    const isOver = error instanceof ToolError && error.code === 'call_closed';
    if (isOver) this.#log.debug({ ...this.#about, error }, `${hook}: the question was settled first`);
    else this.#log.warn({ ...this.#about, error }, `${hook} failed`);
  }

  get #about() {
    const { toolCallId, toolName: tool } = this.#writer.call;
    return { toolCallId, tool };
  }
}

/** A tool or an agent as the author of a reply; no person has such a principal. */
const toolActor = (name: string) => actorOf(name, 'tool');
const agentActor = (name: string) => actorOf(name, 'agent');

function actorOf(name: string, kind: 'tool' | 'agent') {
  const id = `${kind}:${name}`;
  return { clientId: id, connectionId: id, principal: id, name, transport: kind };
}
