import {
  type ChatEvent,
  checkCommentOutcome,
  type InteractionHooks,
  type InteractionId,
  type OpenCall,
} from '@parleyhq/core';
import type { Logger } from 'pino';
import { newId } from '../node/new-id.ts';
import type { CallClock } from './call-clock.ts';
import type { CallWriter } from './call-writer.ts';

/** The hooks of one call that decide nothing: their failures are logged, and the call goes on. */
export class CallHooks {
  readonly #writer: CallWriter;
  readonly #clock: CallClock;
  readonly #log: Logger;

  constructor(writer: CallWriter, clock: CallClock, log: Logger) {
    this.#writer = writer;
    this.#clock = clock;
    this.#log = log;
  }

  /** Runs after the call's signal has aborted, and at most once because the prompt is already settled (INT11). */
  cancel(interactionId: InteractionId, { onCancel }: InteractionHooks): void {
    if (!onCancel) return;
    queueMicrotask(() => {
      this.#clock.runHook(`hook:${interactionId}`, async () => onCancel()).catch(this.#report('onCancel'));
    });
  }

  /** Passes a comment on, and stores the reply (REV4). */
  comment(comment: ChatEvent<'interaction_comment'>, { onComment }: InteractionHooks): void {
    if (onComment) void this.#reply(comment, onComment).catch(this.#report('onComment'));
  }

  async #reply(
    { payload, timestamp }: ChatEvent<'interaction_comment'>,
    onComment: NonNullable<InteractionHooks['onComment']>,
  ): Promise<void> {
    const { toolCallId, interactionId, commentId, text, by, replyTo } = payload;
    const told = { interactionId, commentId, text, by, at: timestamp, ...(replyTo !== undefined && { replyTo }) };
    const returned = await this.#clock.runHook(`comment:${commentId}`, async () => onComment(told));
    const outcome = checkCommentOutcome(returned);
    if (!outcome) return;
    const reply = { toolCallId, interactionId, commentId: newId(), text: outcome.reply, replyTo: commentId };
    await this.#writer.perform({
      type: 'comment',
      comment: { ...reply, by: toolActor(this.#writer.call), isAskers: true },
    });
  }

  #report(hook: string): (error: unknown) => void {
    const { toolCallId } = this.#writer.call;
    return (error) => this.#log.warn({ toolCallId, error }, `${hook} failed`);
  }
}

/** A tool as the author of a reply; no person has such a principal. */
function toolActor({ toolName }: OpenCall) {
  const name = `tool:${toolName}`;
  return { clientId: name, connectionId: name, principal: name, name: toolName, transport: 'tool' };
}
