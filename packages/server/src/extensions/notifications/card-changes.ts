import type { Delivery, Instant, Notification, PastPrompt, PromptRef, SessionId } from '@parleyhq/core';
import type { Inbox } from '../inbox/inbox.ts';
import type { Attempt, AttemptOptions } from './attempt.ts';
import { CardRetries } from './card-retries.ts';
import type { DeliveryLog } from './delivery-log.ts';
import { NotificationError, type Target } from './target.ts';

export interface CardChangesParts {
  readonly inbox: Pick<Inbox, 'waitingFor' | 'readRequest' | 'isOpen'>;
  readonly ledger: DeliveryLog;
  readonly now: () => Instant;
  /** Reads a settled prompt; undefined if it is open, or its session was deleted. */
  readonly readSettled: (place: PromptRef) => Promise<PastPrompt | undefined>;
  /** Sends a notification; failures are results. */
  readonly attempt: (target: Target, news: Notification, options: AttemptOptions) => Promise<Attempt>;
  /** Counts the prompts of a session that wait for a target's person. */
  readonly countIn: (sessionId: SessionId, target: Target) => number;
  /** Whether this process still notifies: results of attempts do not count otherwise. */
  readonly isRunning: () => boolean;
}

/** Changes the messages of prompts, each until that succeeds: the buttons of a message would remain otherwise (CHAT1). */
export class CardChanges {
  readonly #parts: CardChangesParts;
  readonly #retries: CardRetries;

  constructor(parts: CardChangesParts) {
    this.#parts = parts;
    this.#retries = new CardRetries(parts.now);
  }

  /**
   * Finds the messages of a target that can be changed now, and when the next one can that cannot yet; infinity if none is waiting.
   * Both are judged by one time: what becomes due between two would be overlooked.
   * @param isFree - whether nothing about a prompt is in progress for this target
   */
  findDue(
    target: string,
    isFree: (place: PromptRef) => boolean,
  ): { settled: readonly Delivery[]; changed: Delivery | undefined; next: Instant } {
    const { ledger, now } = this.#parts;
    const at = now();
    const isDue = (delivery: Delivery) => isFree(delivery) && this.#retries.isDue(delivery, at);
    return {
      settled: ledger.settledOf(target).filter(isDue),
      changed: ledger.changedOf(target).find(isDue),
      next: this.#retries.nextOf(target, at),
    };
  }

  /** Forgets the messages of all other targets: their accounts are not linked any more. */
  keepOnly(targets: ReadonlySet<string>): void {
    this.#retries.keepOnly(targets);
  }

  /** Changes the message of a settled prompt: who answered what, and where. */
  async close(target: Target, delivery: Delivery): Promise<void> {
    const { ledger, readSettled, attempt, countIn, isRunning } = this.#parts;
    const past = (await readSettled(delivery)) ?? ledger.pastOf(delivery); // neither: an earlier process deleted the session
    if (delivery.news) {
      const news: Notification = { ...delivery.news, type: 'settled', count: countIn(delivery.sessionId, target) };
      const result = await attempt(target, news, { context: { delivery, past }, isLast: false });
      if (!isRunning() || this.#triesAgain(result, delivery)) return;
    }
    await ledger.finish([delivery]);
  }

  /** Changes the message of an open prompt that changed. */
  async refresh(target: Target, delivery: Delivery): Promise<void> {
    const { inbox, ledger, attempt, isRunning } = this.#parts;
    const { sessionId, interactionId, news } = delivery;
    const entry = inbox
      .waitingFor(target.principal)
      .find((each) => each.sessionId === sessionId && each.interactionId === interactionId);
    const prompt = entry && (await inbox.readRequest(entry));
    if (entry && prompt && news) {
      const { isPending, comments } = entry;
      const { comment: _, ...told } = news;
      const context = { delivery, isPending, comments };
      const result = await attempt(target, told, { prompt, context, isLast: false });
      if (!isRunning() || this.#triesAgain(result, delivery)) return;
      await this.#noteMessage(delivery, result);
    }
    ledger.changed(delivery);
  }

  /** Stores the identification that a changed message has from now on. */
  async #noteMessage(delivery: Delivery, result: Attempt): Promise<void> {
    const { inbox, ledger } = this.#parts;
    if (result === 'nothing' || result instanceof NotificationError || result.message === undefined) return;
    if (JSON.stringify(result.message) === JSON.stringify(delivery.message)) return;
    await ledger.record([{ ...delivery, message: result.message }], (place) =>
      inbox.isOpen(place.sessionId, place.interactionId),
    );
  }

  /** Plans another attempt to change a message, if this one failed and may succeed later. */
  #triesAgain(result: Attempt, delivery: Delivery): boolean {
    const isLater = result instanceof NotificationError && !result.isFinal;
    if (isLater && this.#retries.plan(delivery, result.retryAfterMs)) return true;
    this.#retries.forget(delivery);
    return false;
  }
}
