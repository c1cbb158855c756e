import {
  type CallComment,
  type ChatEvent,
  findCall,
  findPrompt,
  type OpenPrompt,
  type OutsideCall,
  type Principal,
  type Seq,
  type ToolCallId,
} from '@parleyhq/core';
import { type Change, type Client, frameOf, type SessionHub, type SessionWriter } from '@parleyhq/runtime';

type Comment = ChatEvent<'interaction_comment'>;

export interface CommentBoardOptions {
  readonly clients: ReadonlySet<Client>;
  readonly hub: () => SessionHub;
}

/** Delivers what people say under the prompts of a program's calls (REV4): as a frame, and by waking waiting requests. */
export class CommentBoard {
  readonly #options: CommentBoardOptions;
  readonly #waiting = new Map<ToolCallId, Set<AbortController>>();
  /** By open call: position of the last comment that its program has read here, and so ends no further wait. */
  readonly #read = new Map<ToolCallId, Seq>();

  constructor(options: CommentBoardOptions) {
    this.#options = options;
  }

  follow({ events, after }: Change): void {
    for (const event of events) {
      if (event.type === 'tool_result') this.#read.delete(event.payload.toolCallId);
      if (event.type !== 'interaction_comment' || event.payload.isAskers) continue;
      const { toolCallId, interactionId } = event.payload;
      const { by } = findCall(after, toolCallId) ?? {};
      if (!by) continue;
      this.#send(event, by.principal);
      if (findPrompt(after, interactionId)?.request.commentsTo === 'caller')
        for (const waiting of this.#waiting.get(toolCallId) ?? []) waiting.abort();
    }
  }

  /** Returns what was said under the open prompts of a call, in order, and remembers what its program knows. */
  async read(call: OutsideCall, reader: Principal): Promise<readonly CallComment[]> {
    const { session } = await this.#options.hub().open(call.sessionId);
    const comments = await readComments(session, call, () => true);
    const last = comments.at(-1);
    if (last && reader.id === call.principal && findCall(session.head, call.toolCallId))
      this.#read.set(call.toolCallId, last.seq);
    return comments.map(toComment);
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
    const { session } = await this.#options.hub().open(call.sessionId);
    const comments = await readComments(session, call, ({ request }) => request.commentsTo === 'caller');
    const replied = new Set(comments.map(({ payload }) => payload.isAskers && payload.replyTo));
    const readTo = this.#read.get(toolCallId) ?? 0;
    const isNew = ({ seq, payload }: Comment) => !payload.isAskers && seq > readTo && !replied.has(payload.commentId);
    if (comments.some(isNew)) listening.abort();
    return listening.signal;
  }

  #send(event: Comment, to: string): void {
    const { sessionId, payload } = event;
    const { toolCallId } = payload;
    const frame = frameOf({ type: 'call_comment', sessionId, toolCallId, ...toComment(event) });
    for (const client of this.#options.clients) if (client.principal.id === to) client.sendBatch(frame);
  }
}

/** Reads what was said under the open prompts of a call. */
async function readComments(
  { head, reader }: SessionWriter,
  { toolCallId }: OutsideCall,
  isWanted: (prompt: OpenPrompt) => boolean,
): Promise<readonly Comment[]> {
  const prompts = head.prompts.filter((prompt) => prompt.request.toolCallId === toolCallId && isWanted(prompt));
  const found = await Promise.all(prompts.map((prompt) => reader.readComments(prompt)));
  return found.flat().sort((a, b) => a.seq - b.seq);
}

function toComment({ payload, timestamp: at }: Comment): CallComment {
  const { interactionId, commentId, text, by, replyTo, isAskers } = payload;
  return {
    ...{ interactionId, commentId, text, at },
    by: { principal: by.principal, ...(by.name !== undefined && { name: by.name }) },
    ...(replyTo !== undefined && { replyTo }),
    ...(isAskers && { isAskers }),
  };
}
