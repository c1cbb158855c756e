import {
  describeAnswer,
  hasVisible,
  type InteractionAnswer,
  type InteractionHooks,
  type InteractionId,
  isRecord,
  type LateAnswer,
} from '@parleyhq/core';
import type { Logger } from 'pino';
import { Secrets } from '../log/secrets.ts';
import { limitTime } from '../node/limit-time.ts';
import { type Change, eventsOf } from '../session/change.ts';
import type { LiveSession, SessionObserver } from '../session/live-session.ts';

type LateHook = NonNullable<InteractionHooks['onLateResponse']>;

export interface LateAnswerOptions {
  /** How long a hook may take. */
  readonly hookMs: number;
  readonly log: Logger;
  readonly secrets: Secrets;
}

/** Turns late answers into their one message, which a hook of the tool may word (INT9). */
export class LateAnswers implements SessionObserver {
  readonly #session: LiveSession;
  readonly #options: LateAnswerOptions;
  readonly #hooks = new Map<InteractionId, LateHook>();

  constructor(session: LiveSession, options: LateAnswerOptions) {
    this.#session = session;
    this.#options = options;
    session.observe(this);
  }

  /** While a hook waits, its session stays in memory. */
  get isEmpty(): boolean {
    return this.#hooks.size === 0;
  }

  keep(id: InteractionId, hook: LateHook): void {
    this.#hooks.set(id, hook);
  }

  has(id: InteractionId): boolean {
    return this.#hooks.has(id);
  }

  /** Answers whose hook a restart has taken: they get the usual message. */
  recover(): void {
    for (const late of this.#session.head.lateAnswers)
      this.#followUp(late, describeAnswer(late.request, late.response));
  }

  onChange(change: Change): void {
    const settled = [...eventsOf(change, 'interaction_response'), ...eventsOf(change, 'interaction_closed')];
    for (const { interactionId } of settled.map(({ payload }) => payload)) {
      const hook = this.#hooks.get(interactionId);
      this.#hooks.delete(interactionId);
      const late = change.after.lateAnswers.find(({ response }) => response.interactionId === interactionId);
      if (hook && late && change.answer) void this.#decide(hook, late, change.answer);
    }
  }

  async #decide(hook: LateHook, late: LateAnswer, answer: InteractionAnswer): Promise<void> {
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
    const outcome: unknown = await limitTime(this.#options.hookMs, () => hook(answer), refuse);
    if (!isRecord(outcome)) return usual;
    if (typeof outcome.refuse === 'string') return `${usual}\nNot accepted: ${outcome.refuse}`;
    return typeof outcome.text === 'string' && hasVisible(outcome.text) ? outcome.text : usual;
  }

  #followUp({ response: { interactionId } }: LateAnswer, text: string): void {
    this.#session.persist({ type: 'follow_up', interactionId, text }).catch((error: unknown) => {
      this.#options.log.error({ interactionId, error }, 'a late answer has no message yet; the next start sends it');
    });
  }
}
