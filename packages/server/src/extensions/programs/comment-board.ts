import {
  type CallComment,
  type ChatEvent,
  findCall,
  findPrompt,
  type OutsideCall,
  type Principal,
  RefusalError,
  type ToolCallId,
} from '@parleyhq/core';
import { type Change, type Client, frameOf, type SessionHub } from '@parleyhq/runtime';

export interface CommentBoardOptions {
  readonly clients: ReadonlySet<Client>;
  readonly hub: () => SessionHub;
}

/** Delivers what people say under the prompts of a program's calls (REV4): as a frame, and by waking waiting requests. */
export class CommentBoard {
  readonly #options: CommentBoardOptions;
  readonly #waiting = new Map<ToolCallId, Set<AbortController>>();
  /** By call: comments that woke a request, and so need not wake another. */
  readonly #told = new Map<ToolCallId, Set<string>>();

  constructor(options: CommentBoardOptions) {
    this.#options = options;
  }

  follow({ events, after }: Change): void {
    for (const event of events) {
      if (event.type === 'tool_result') this.#told.delete(event.payload.toolCallId);
      if (event.type !== 'interaction_comment' || event.payload.isAskers) continue;
      const { toolCallId, interactionId } = event.payload;
      const { by } = findCall(after, toolCallId) ?? {};
      if (!by) continue;
      this.#send(event, by.principal);
      if (findPrompt(after, interactionId)?.request.hasCommentHook)
        for (const waiting of this.#waiting.get(toolCallId) ?? []) waiting.abort();
    }
  }

  /** Returns what was said under the open prompts of a call, in order, and remembers that its program knows it. */
  async read(call: OutsideCall, reader: Principal): Promise<readonly CallComment[]> {
    const comments = (await this.#find(call)).flat();
    if (reader.id !== call.principal) return comments;
    const told = this.#told.get(call.toolCallId) ?? new Set();
    for (const { commentId } of comments) told.add(commentId);
    if (told.size > 0) this.#told.set(call.toolCallId, told);
    return comments;
  }

  /** Finds a comment on an open prompt of a call. @throws RefusalError `not_found` */
  async find(call: OutsideCall, commentId: string): Promise<CallComment> {
    const found = (await this.#find(call)).flat().find((comment) => comment.commentId === commentId);
    if (!found) throw new RefusalError('not_found', { message: 'Its open questions have no such comment.' });
    return found;
  }

  /**
   * Returns a signal that aborts when a call that asked for comments has one that its program does not know.
   * @param until - when to stop listening
   */
  async listen(call: OutsideCall, until: AbortSignal): Promise<AbortSignal> {
    const { toolCallId } = call;
    const listening = new AbortController();
    const all = this.#waiting.get(toolCallId) ?? new Set();
    this.#waiting.set(toolCallId, all.add(listening)); // before reading, so that no comment is missed
    const stop = () => {
      all.delete(listening);
      if (all.size === 0) this.#waiting.delete(toolCallId);
    };
    if (until.aborted) stop();
    else until.addEventListener('abort', stop, { once: true });
    const comments = (await this.#find(call, true)).flat();
    const replied = new Set(comments.flatMap(({ isAskers, replyTo }) => (isAskers && replyTo ? [replyTo] : [])));
    const isKnown = ({ commentId, isAskers }: CallComment) =>
      isAskers || replied.has(commentId) || this.#told.get(toolCallId)?.has(commentId);
    if (!comments.every(isKnown)) listening.abort();
    return listening.signal;
  }

  async #find({ sessionId, toolCallId }: OutsideCall, isAwaited = false): Promise<readonly CallComment[][]> {
    const { session } = await this.#options.hub().open(sessionId);
    const prompts = session.head.prompts.filter(
      ({ request }) => request.toolCallId === toolCallId && (!isAwaited || request.hasCommentHook),
    );
    return Promise.all(prompts.map(async (prompt) => (await session.reader.readComments(prompt)).map(toComment)));
  }

  #send(event: ChatEvent<'interaction_comment'>, to: string): void {
    const { sessionId, payload } = event;
    const { toolCallId } = payload;
    const frame = frameOf({ type: 'call_comment', sessionId, toolCallId, ...toComment(event) });
    for (const client of this.#options.clients) if (client.principal.id === to) client.sendBatch(frame);
  }
}

function toComment({ payload, timestamp: at }: ChatEvent<'interaction_comment'>): CallComment {
  const { interactionId, commentId, text, by, replyTo, isAskers } = payload;
  return {
    ...{ interactionId, commentId, text, at },
    by: { principal: by.principal, ...(by.name !== undefined && { name: by.name }) },
    ...(replyTo !== undefined && { replyTo }),
    ...(isAskers && { isAskers }),
  };
}
