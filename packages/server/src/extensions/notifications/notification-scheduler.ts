import {
  type Asked,
  type Delivery,
  type Epoch,
  type Instant,
  type InteractionRequest,
  mayAnswer,
  mayNotify,
  maySee,
  type Notification,
  type NotificationDetail,
  type PastPrompt,
  type PromptRef,
  RefusalError,
  type SessionId,
} from '@parleyhq/core';
import { type Change, longestTimerMs } from '@parleyhq/runtime';
import type { Logger } from 'pino';
import type { Inbox } from '../inbox/inbox.ts';
import type { Entry } from '../inbox/inbox-entries.ts';
import { type Attempt, type AttemptOptions, findNews, groupBySession, judge } from './attempt.ts';
import type { Attention } from './attention.ts';
import { Busy } from './busy.ts';
import { CardChanges } from './card-changes.ts';
import type { DeliveryLog } from './delivery-log.ts';
import { newsOf, type WaitingPrompt } from './make-notification.ts';
import { maxAttempts, retryDelay } from './retry.ts';
import { findSettled } from './settlement.ts';
import { NotificationError, type Target } from './target.ts';
import { findUnknownWay, pushWay } from './ways.ts';

export interface NotificationSchedulerOptions {
  readonly inbox: Pick<Inbox, 'waitingFor' | 'isOpen' | 'places' | 'readRequest'>;
  readonly attention: Pick<Attention, 'awaySince'>;
  readonly ledger: DeliveryLog;
  /** Returns everybody who can be notified now. */
  readonly targets: () => Iterable<DetailedTarget>;
  /** Returns what closes the messages of a linked account that is not among the targets any more. */
  readonly findFormer: (target: string) => DetailedTarget | undefined;
  /** Returns the names of all configured notifiers. */
  readonly ways: () => readonly string[];
  readonly epoch: Epoch;
  readonly now: () => Instant;
  /** In ms: how long somebody must not have looked at a page. */
  readonly notifyAfterMs: number;
  readonly baseUrl: () => string;
  /** Reads a settled prompt; undefined if it is open, or its session was deleted. */
  readonly readSettled: (place: PromptRef) => Promise<PastPrompt | undefined>;
  /**
   * Whether this process may notify, checked before each attempt: only one may at a time, and it may have lost that role in a
   * pause.
   */
  readonly mayNotify: () => boolean;
  /** Called when an attempt to notify somebody in this way has ended. */
  readonly onAttempt: (way: string, result: 'sent' | 'retried' | 'failed') => void;
  readonly log: Logger;
}

/** In ms: interval at which a node that may not notify checks whether it may. */
const lookAgainMs = 1000;

/** How many cards of one target are changed at the same time. */
const mostAtOnce = 4;

type DetailedTarget = Target & { readonly detail: NotificationDetail };

/**
 * Notifies people of waiting prompts, independently of the prompts' own path (NTF1): each target once per prompt, when its person
 * has not looked at a page for a while. Notifications of settled prompts are withdrawn. A slow receiver delays nobody else.
 */
export class NotificationScheduler {
  readonly #options: NotificationSchedulerOptions;
  readonly #busy = new Busy();
  readonly #cards: CardChanges;
  #timer: NodeJS.Timeout | undefined;
  #dueAt = Number.POSITIVE_INFINITY;
  #isStarted = false;

  constructor(options: NotificationSchedulerOptions) {
    this.#options = options;
    const { inbox, ledger, now, readSettled } = options;
    this.#cards = new CardChanges({
      ...{ inbox, ledger, now, readSettled },
      attempt: (target, news, about) => this.#attempt(target, news, about),
      countIn: (sessionId, target) => this.#countIn(sessionId, target),
      isRunning: () => this.#isStarted,
    });
  }

  /** Whether somebody who may answer can be notified, so that a prompt need not fail because nobody has a page open (INT14). */
  canNotify(sessionId: SessionId, asked?: Asked): boolean {
    for (const { principal } of this.#options.targets())
      if (maySee(principal, sessionId) && mayAnswer(principal, asked)) return true;
    return false;
  }

  /** Starts to notify; to be called once the inbox is complete. */
  async start(): Promise<void> {
    const { inbox, ledger, epoch } = this.#options;
    await ledger.load(epoch, inbox.places, (place) => this.#isOpen(place));
    this.#isStarted = true;
    this.wake();
  }

  follow({ prompts: { opened, moved, settled }, events, sessionId }: Change): void {
    if (!this.#isStarted) return;
    for (const { request } of opened) this.#warnOfWays(request);
    for (const { request } of settled)
      this.#settle({ sessionId, interactionId: request.interactionId }, findSettled(request, events));
    for (const { request, state } of moved) {
      const isPending = state === 'pending';
      if (isPending && this.#options.ledger.change({ sessionId, interactionId: request.interactionId })) this.wake();
    }
    if (opened.length + moved.length > 0 && this.#hasTargets())
      this.#wakeAt(this.#options.now() + this.#options.notifyAfterMs);
  }

  /** Checks again who should be notified: somebody stopped looking, or can be notified from now on. */
  wake(): void {
    if (this.#isStarted) this.#wakeAt(this.#options.now());
  }

  /** Stops. Attempts in progress count as not sent: the next process repeats them. */
  stop(): void {
    this.#isStarted = false;
    clearTimeout(this.#timer);
    this.#dueAt = Number.POSITIVE_INFINITY;
  }

  /**
   * Postpones a prompt for one target, which is then notified again by another message.
   * @throws RefusalError `not_found` if no message of it is known: the process ended between sending and storing it
   */
  async snooze(place: PromptRef, target: string, until: Instant): Promise<void> {
    const { ledger } = this.#options;
    for (let work = this.#busy.find(target, place); work; work = this.#busy.find(target, place)) await work;
    const known = ledger.find(place, target);
    const wasSent = known !== undefined && (known.state !== 'due' || known.message !== undefined || known.isSnoozed);
    if (!wasSent)
      throw new RefusalError('not_found', { message: 'Open it, or answer it: this message is not known any more.' });
    const at = new Date(until).toISOString();
    await ledger.record([{ ...known, state: 'due', attempts: 0, at, isSnoozed: true }], (each) => this.#isOpen(each));
    this.wake();
  }

  #settle(place: PromptRef, past: PastPrompt | undefined): void {
    const { ledger } = this.#options;
    const over = ledger.settle(place, past);
    if (over.length > 0) this.#run(ledger.finish(over));
    if (ledger.settledTargets.length > 0) this.wake();
  }

  /**
   * Warns if a prompt escalates by an unknown notifier; this does not fail the prompt, because a tool cannot know what is
   * configured.
   */
  #warnOfWays({ toolName: tool, escalate = [] }: InteractionRequest): void {
    const { ways, log } = this.#options;
    const way = findUnknownWay(escalate, [pushWay, ...ways()]);
    if (way !== undefined)
      log.warn({ tool, way }, 'a prompt escalates by a notifier that is not configured: nobody is notified that way');
  }

  #hasTargets(): boolean {
    for (const _ of this.#options.targets()) return true;
    return false;
  }

  #isOpen({ sessionId, interactionId }: PromptRef): boolean {
    return this.#options.inbox.isOpen(sessionId, interactionId);
  }

  #wakeAt(at: Instant): void {
    if (at >= this.#dueAt) return;
    this.#dueAt = at;
    clearTimeout(this.#timer);
    const ms = Math.min(Math.max(at - this.#options.now(), 0), longestTimerMs);
    this.#timer = setTimeout(() => this.#sweep(), ms).unref();
  }

  /** Starts what is due, and sets the timer for what is due next. */
  #sweep(): void {
    this.#dueAt = Number.POSITIVE_INFINITY;
    if (!this.#options.mayNotify()) {
      this.#wakeAt(this.#options.now() + lookAgainMs);
      return;
    }
    const { ledger, findFormer } = this.#options;
    const targets = [...this.#options.targets()];
    ledger.keepOnly(new Set(targets.map(({ id }) => id)));
    const gone = new Set(ledger.settledTargets);
    for (const { id } of targets) gone.delete(id);
    for (const id of gone) {
      const former = findFormer(id);
      if (former) targets.push(former);
      else this.#run(ledger.finish(ledger.settledOf(id)));
    }
    this.#cards.keepOnly(new Set(targets.map(({ id }) => id)));
    for (const target of targets) this.#begin(target);
  }

  /** Starts what is due for a target, as much as may be in progress at the same time. Whoever ends checks again. */
  #begin(target: DetailedTarget): void {
    const most = target.hasCards ? mostAtOnce : 1;
    try {
      while (this.#busy.countOf(target.id) < most) {
        const work = this.#findWork(target);
        if (!work) return;
        this.#busy.run(target.id, work.about, () => this.#serve(target, work.run));
      }
    } catch (error) {
      this.#report(target, error);
    }
  }

  #run(work: Promise<void>): void {
    work.catch((error: unknown) =>
      this.#options.log.error({ error }, 'the state of notifications could not be stored'),
    );
  }

  /**
   * Finds the prompts of which a target should be notified now, and when the next is due. They are grouped by session, and once one
   * prompt of a session is due, its others are included; but a card is about one prompt.
   */
  #findDue(target: DetailedTarget): { due: readonly Entry[][]; next: Instant } {
    const { attention, inbox, ledger, now, notifyAfterMs } = this.#options;
    const awaySince = attention.awaySince(target.principal);
    if (awaySince === undefined) return { due: [], next: Number.POSITIVE_INFINITY };
    const untold: Entry[] = [];
    const dueNow: Entry[] = [];
    let next = Number.POSITIVE_INFINITY;
    for (const prompt of inbox.waitingFor(target.principal)) {
      if (!mayNotify(target.principal, prompt.asked, target.way)) continue;
      const known = ledger.find(prompt, target.id);
      const comment = findNews(prompt, known, target);
      if (known && known.state !== 'due' && !comment) continue;
      const unseen = Math.max(awaySince, comment ? Date.parse(comment.at) : prompt.at) + notifyAfterMs;
      const at = target.freeAt(Math.max(unseen, known ? Date.parse(known.at) : 0, now()));
      untold.push(prompt);
      if (at <= now()) dueNow.push(prompt);
      else next = Math.min(next, at);
    }
    const dueIn = new Set(dueNow.map(({ sessionId }) => sessionId));
    if (target.hasCards) return { due: dueNow.map((prompt) => [prompt]), next };
    return { due: groupBySession(untold.filter(({ sessionId }) => dueIn.has(sessionId))), next };
  }

  /** Handles one item of a target, then checks again who this is, what is settled, and what they may see. Never rejects. */
  async #serve(target: DetailedTarget, run: () => Promise<void>): Promise<void> {
    try {
      await run();
      this.wake();
    } catch (error) {
      this.#report(target, error);
    }
  }

  /** Reports what delays nobody else, and tries again after a while. */
  #report(target: DetailedTarget, error: unknown): void {
    this.#options.log.error(
      { target: target.id, error },
      'notifications of somebody could not be determined or stored',
    );
    if (this.#isStarted) this.#wakeAt(this.#options.now() + retryDelay(1));
  }

  /** Returns the next work for a target. Prompts are sent one after the other, and only while no card is changed. */
  #findWork(target: DetailedTarget): { readonly about: PromptRef; readonly run: () => Promise<void> } | undefined {
    const cards = this.#cards.findDue(target.id, (place) => this.#busy.find(target.id, place) === undefined);
    const { due, next } = this.#findDue(target);
    this.#wakeAt(Math.min(next, cards.next));
    const [settled] = cards.settled;
    if (settled && target.hasCards) return { about: settled, run: () => this.#cards.close(target, settled) };
    if (settled) return { about: settled, run: () => this.#takeBack(target, groupBySession(cards.settled)[0] ?? []) };
    const { changed } = cards;
    if (changed) return { about: changed, run: () => this.#cards.refresh(target, changed) };
    const [prompts = []] = this.#busy.countOf(target.id) === 0 ? due : [];
    const [first] = prompts;
    return first && { about: first, run: () => this.#tell(target, prompts) };
  }

  /** Sends one message for all due prompts of a session. */
  async #tell(target: DetailedTarget, prompts: readonly Entry[]): Promise<void> {
    const { inbox, ledger, baseUrl, now } = this.#options;
    const begun = now();
    const read: WaitingPrompt[] = [];
    for (const prompt of prompts) {
      const interaction = await inbox.readRequest(prompt);
      const comment = findNews(prompt, ledger.find(prompt, target.id), target);
      if (interaction) read.push({ ...prompt, interaction, comment });
    }
    const waiting = read.filter(({ sessionId, interaction: { interactionId } }) =>
      this.#isOpen({ sessionId, interactionId }),
    );
    const [first] = waiting;
    if (!first) return;
    const options = {
      target: target.id,
      count: this.#countIn(first.sessionId, target),
      detail: target.detail,
      baseUrl: baseUrl(),
    };
    const about = (some: readonly WaitingPrompt[]) => newsOf(some, target.principal, options);
    const whom = { target: target.id, principal: target.principal.id, epoch: this.#options.epoch };
    const attempted = waiting.map((prompt) => {
      const place = { sessionId: prompt.sessionId, interactionId: prompt.interaction.interactionId };
      const known = ledger.find(place, target.id);
      const attempts = (known?.state === 'due' ? known.attempts : 0) + 1;
      // withdrawn later for this prompt only, not for the whole burst
      return { ...place, ...whom, attempts, news: about([prompt]) };
    });
    const isLast = attempted.every(({ attempts }) => attempts >= maxAttempts);
    const delivery = ledger.find({ ...first, interactionId: first.interaction.interactionId }, target.id);
    const context = { delivery, isPending: first.isPending, comments: first.comments };
    const result = await this.#attempt(target, about(waiting), {
      prompt: waiting.at(-1)?.interaction,
      context,
      isLast,
    });
    if (!this.#isStarted) return;
    const deliveries = attempted.map((each): Delivery => {
      const { at, ...outcome } = judge(result, { attempts: each.attempts, begun, now: now(), earlier: delivery });
      return { ...each, at: new Date(at).toISOString(), ...outcome };
    });
    await ledger.record(deliveries, (place) => this.#isOpen(place));
  }

  /** Counts the prompts of a session that wait for a target's person. */
  #countIn(sessionId: SessionId, { principal }: Target): number {
    return this.#options.inbox.waitingFor(principal).filter((each) => each.sessionId === sessionId).length;
  }

  /**
   * Withdraws notifications, represented by the newest. There is one attempt only: a notification that remains leads to a
   * receipt.
   */
  async #takeBack(target: DetailedTarget, deliveries: readonly Delivery[]): Promise<void> {
    const news = deliveries.at(-1)?.news;
    if (news) {
      const count = this.#countIn(news.sessionId, target);
      await this.#attempt(target, { ...news, type: 'settled', count }, { isLast: true });
      if (!this.#isStarted) return;
    }
    await this.#options.ledger.finish(deliveries);
  }

  async #attempt(target: Target, news: Notification, { prompt, context, isLast }: AttemptOptions): Promise<Attempt> {
    const { onAttempt, log } = this.#options;
    try {
      const sent = await target.notify(news, prompt, context);
      if (!sent) return 'nothing';
      onAttempt(target.way, 'sent');
      return sent;
    } catch (error) {
      const fault =
        error instanceof NotificationError ? error : new NotificationError('internal', 'It failed.', { cause: error });
      onAttempt(target.way, fault.isFinal || isLast ? 'failed' : 'retried');
      log.warn(
        { target: target.id, code: fault.code, error: fault },
        'somebody could not be notified of a waiting prompt',
      );
      return fault;
    }
  }
}
