import {
  type ChatEvent,
  describeAnswer,
  type InteractionAnswer,
  type InteractionHooks,
  type InteractionId,
  isRecord,
  type LateAnswer,
  type LateOutcome,
} from '@parleyhq/core';
import { Secrets } from '../log/secrets.ts';
import type { Runtime } from '../runtime.ts';
import type { LiveSession, SessionObserver } from '../session/live-session.ts';
import { persist } from '../session/retry-until-stored.ts';

type LateHook = NonNullable<InteractionHooks['onLateResponse']>;

/** Turns late answers into their one message where a hook has a word in it (INT9). */
export class LateAnswers implements SessionObserver {
  readonly #runtime: Runtime;
  readonly #session: LiveSession;
  readonly #hooks = new Map<InteractionId, LateHook>();

  constructor(runtime: Runtime, session: LiveSession) {
    this.#runtime = runtime;
    this.#session = session;
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

  onStored(events: readonly ChatEvent[], answer: InteractionAnswer | undefined): void {
    for (const event of events) {
      if (event.type !== 'interaction_response' && event.type !== 'interaction_closed') continue;
      const { interactionId } = event.payload;
      const hook = this.#hooks.get(interactionId);
      this.#hooks.delete(interactionId);
      const late = this.#session.head.lateAnswers.find(({ response }) => response.interactionId === interactionId);
      if (hook && late && answer) void this.#decide(hook, late, answer);
    }
  }

  async #decide(hook: LateHook, late: LateAnswer, answer: InteractionAnswer): Promise<void> {
    const secrets = new Secrets(this.#runtime.secrets);
    secrets.learn(late.request, answer.input);
    const usual = describeAnswer(late.request, late.response);
    const text = await this.#ask(hook, answer, usual).catch((error: unknown) => {
      this.#runtime.log.warn(
        { interactionId: answer.interactionId, error },
        'onLateResponse failed: the usual message is sent',
      );
      return usual;
    });
    this.#followUp(late, secrets.redact(text));
  }

  async #ask(hook: LateHook, answer: InteractionAnswer, usual: string): Promise<string> {
    let timer: NodeJS.Timeout | undefined;
    const silence = new Promise<LateOutcome>((resolve) => {
      timer = setTimeout(() => resolve(undefined), this.#runtime.durations.lateHookMs);
    });
    try {
      const outcome: unknown = await Promise.race([(async () => hook(answer))(), silence]);
      if (!isRecord(outcome)) return usual;
      if (typeof outcome.refuse === 'string') return `${usual}\nNot accepted: ${outcome.refuse}`;
      return typeof outcome.text === 'string' ? outcome.text : usual;
    } finally {
      clearTimeout(timer);
    }
  }

  #followUp({ response: { interactionId } }: LateAnswer, text: string): void {
    const send = () => this.#session.perform({ type: 'follow_up', interactionId, text });
    persist(this.#runtime, send).catch((error: unknown) => {
      this.#runtime.log.error({ interactionId, error }, 'a late answer has no message yet; the next start sends it');
    });
  }
}
