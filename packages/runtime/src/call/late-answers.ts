import {
  describeAnswer,
  hasVisible,
  type InteractionAnswer,
  type InteractionHooks,
  type InteractionId,
  isRecord,
  type LateAnswer,
  type ToolCallId,
} from '@parleyhq/core';
import type { Logger } from 'pino';
import { Secrets } from '../log/secrets.ts';
import type { Clock } from '../node/clock.ts';
import { limitTime } from '../node/limit-time.ts';
import type { Change } from '../session/change.ts';
import type { SessionObserver, SessionWriter } from '../session/session-writer.ts';

type LateHook = NonNullable<InteractionHooks['onLateResponse']>;

/** How long to wait, in ms after a hook's limit, before its process is presumed dead. */
const graceMs = 15_000;

export interface LateAnswerOptions {
  /** Time allowed to a hook, in ms. */
  readonly hookMs: number;
  readonly clock: Clock;
  readonly log: Logger;
  readonly secrets: Secrets;
}

/** Sends one message for each late answer; a hook of the tool may write its text (INT9). */
export class LateAnswers implements SessionObserver {
  readonly #session: SessionWriter;
  readonly #options: LateAnswerOptions;
  readonly #hooks = new Map<InteractionId, LateHook>();
  /** Late answers whose `onLateResponse` is running here. */
  readonly #own = new Set<InteractionId>();
  /** Late answers given while their call slept, until its hook is registered. */
  readonly #unclaimed = new Map<InteractionId, InteractionAnswer>();
  /** Timers for the late answers whose hook does not run here. */
  readonly #awaited = new Map<InteractionId, NodeJS.Timeout>();

  constructor(session: SessionWriter, options: LateAnswerOptions) {
    this.#session = session;
    this.#options = options;
    session.observe(this);
  }

  /** Whether no hook is registered; otherwise the session must stay in memory. */
  get isEmpty(): boolean {
    return this.#hooks.size === 0;
  }

  keep(id: InteractionId, hook: LateHook): void {
    const late = this.#findLate(id);
    const answer = this.#unclaimed.get(id);
    if (late && answer) void this.#decide(id, hook, late, answer);
    else this.#hooks.set(id, hook);
  }

  /** Sends the default message for answers that no hook of a re-entered call has taken. */
  giveUp(callId: ToolCallId): void {
    for (const { request, response } of this.#session.head.lateAnswers) {
      if (request.toolCallId !== callId || !this.#unclaimed.delete(response.interactionId)) continue;
      this.#followUp({ response }, describeAnswer(request, response));
    }
  }

  has(id: InteractionId): boolean {
    return this.#hooks.has(id);
  }

  /** Sends the default message for answers whose hook was lost in a restart. */
  recover(): void {
    for (const late of this.#session.head.lateAnswers)
      this.#followUp(late, describeAnswer(late.request, late.response));
  }

  onChange(change: Change): void {
    for (const { request } of change.prompts.settled) {
      const { interactionId } = request;
      const hook = this.#hooks.get(interactionId);
      this.#hooks.delete(interactionId);
      const late = this.#findLate(interactionId, change.after);
      if (!late || !change.answer) continue;
      if (hook) void this.#decide(interactionId, hook, late, change.answer);
      else if (!change.isForeign) this.#unclaimed.set(interactionId, change.answer);
    }
    this.#watch(change.after.lateAnswers);
  }

  /**
   * Watches for answers whose message may never come, because the process of their hook has ended: then the default one is
   * sent.
   */
  #watch(answers: readonly LateAnswer[]): void {
    const ids = new Set(answers.map(({ response }) => response.interactionId));
    for (const [id, timer] of this.#awaited) {
      if (ids.has(id)) continue;
      clearTimeout(timer);
      this.#awaited.delete(id);
    }
    for (const id of this.#own) if (!ids.has(id)) this.#own.delete(id);
    for (const id of this.#unclaimed.keys()) if (!ids.has(id)) this.#unclaimed.delete(id);
    for (const late of answers) {
      const { interactionId } = late.response;
      if (this.#own.has(interactionId) || this.#awaited.has(interactionId)) continue;
      const send = () => this.#followUp(late, describeAnswer(late.request, late.response));
      this.#awaited.set(interactionId, setTimeout(send, this.#options.hookMs + graceMs).unref());
    }
  }

  #findLate(id: InteractionId, { lateAnswers } = this.#session.head): LateAnswer | undefined {
    return lateAnswers.find(({ response }) => response.interactionId === id);
  }

  async #decide(id: InteractionId, hook: LateHook, late: LateAnswer, answer: InteractionAnswer): Promise<void> {
    this.#own.add(id);
    this.#unclaimed.delete(id);
    const secrets = new Secrets(this.#options.secrets);
    secrets.learn(late.request, answer.input);
    const usual = describeAnswer(late.request, late.response);
    const text = await this.#ask(hook, answer, usual).catch((error: unknown) => {
      this.#options.log.warn(
        { interactionId: answer.interactionId, error },
        'onLateResponse failed: the usual message is sent',
      );
      return usual;
    });
    this.#followUp(late, secrets.redact(text));
  }

  async #ask(hook: LateHook, answer: InteractionAnswer, usual: string): Promise<string> {
    const refuse = (ms: number) => new Error(`It took longer than ${ms} ms.`);
    const { hookMs, clock } = this.#options;
    const outcome: unknown = await limitTime(hookMs, () => hook(answer), refuse, clock);
    if (!isRecord(outcome)) return usual;
    if (typeof outcome.refuse === 'string') return `${usual}\nNot accepted: ${outcome.refuse}`;
    return typeof outcome.text === 'string' && hasVisible(outcome.text) ? outcome.text : usual;
  }

  #followUp({ response: { interactionId } }: Pick<LateAnswer, 'response'>, text: string): void {
    this.#session.persist({ type: 'follow_up', interactionId, text }).catch((error: unknown) => {
      this.#options.log.error({ interactionId, error }, 'a late answer has no message yet; the next start sends it');
    });
  }
}
