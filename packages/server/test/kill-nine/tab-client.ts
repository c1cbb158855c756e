import { setTimeout as sleep } from 'node:timers/promises';
import { type ChatEvent, emptyHead, type Head, reduceHead, type ServerFrame } from '@parleyhq/core';
import { answerTo } from './answers.ts';
import type { Client } from './client.ts';
import type { HistoryEntry } from './history.ts';
import type { ClientLink, OpenLink } from './link.ts';
import { PendingRequests } from './pending-requests.ts';

/** The request by which a tab follows its session. */
const follow = 'follow';

/** A tab that follows the session, answers what it sees, and reconnects with its cursor. */
export class TabClient implements Client {
  readonly who: string;
  readonly entries: HistoryEntry[] = [];
  readonly #open: OpenLink;
  readonly #sessionId: string;
  readonly #requests = new PendingRequests(this.entries);
  #head: Head = emptyHead;
  #epoch: string | undefined;
  #link: ClientLink | undefined;
  #isLeaving = false;
  #life: Promise<void> | undefined;
  #onLive: (() => void) | undefined;

  constructor(who: string, sessionId: string, open: OpenLink) {
    this.who = who;
    this.#open = open;
    this.#sessionId = sessionId;
  }

  /** Resolves when it follows the session for the first time. */
  async join(): Promise<void> {
    const live = new Promise<void>((resolve) => {
      this.#onLive = resolve;
    });
    this.#life = this.#live();
    await live;
  }

  say(messageId: string, text: string): void {
    this.#requests.say(this.#sessionId, messageId, text);
  }

  /** Sends the stop once; it does not matter if it is lost. */
  cancelTurn(): void {
    this.#link?.send({ type: 'cancel_turn', requestId: 'cancel', sessionId: this.#sessionId });
  }

  /** Whether no turn runs, as far as it knows. */
  get isIdle(): boolean {
    return this.#head.turn === null;
  }

  hasSeen(seq: number): boolean {
    return this.#head.seq >= seq && this.#requests.isEmpty;
  }

  async leave(): Promise<void> {
    this.#isLeaving = true;
    await this.#link?.close();
    await this.#life;
  }

  async #live(): Promise<void> {
    while (!this.#isLeaving) {
      try {
        const { link } = await this.#open(this.who, (frame) => this.#receive(frame));
        this.#link = link;
        if (this.#isLeaving) void link.close();
        const cursor = this.#epoch === undefined ? {} : { cursor: { epoch: this.#epoch, seq: this.#head.seq } };
        link.send({ type: 'subscribe', requestId: follow, sessionId: this.#sessionId, ...cursor });
        this.#requests.use(link);
        await link.closed;
      } catch {
        await sleep(15); // the server is down
      }
      this.#requests.use(undefined);
    }
  }

  #receive(frame: ServerFrame): void {
    switch (frame.type) {
      case 'reply':
        if (frame.requestId === follow && !frame.ok) this.#followAgain();
        this.#requests.receive(frame);
        break;
      case 'error':
        this.#followAgain();
        break;
      case 'snapshot':
        this.#epoch = frame.epoch;
        break;
      case 'reset':
        this.entries.push({ kind: 'reset' });
        break;
      case 'live':
        this.#onLive?.();
        this.#answer();
        break;
      case 'chat_events':
        for (const event of frame.events) this.#fold(event);
        break;
      case 'chat_event':
        this.#fold(frame.event);
        this.#answer();
        break;
      default:
    }
  }

  /** Reconnects from its position, because what it should be shown could not be read. */
  #followAgain(): void {
    void this.#link?.close();
  }

  #fold(event: ChatEvent): void {
    this.entries.push({ kind: 'event', event });
    this.#head = reduceHead(this.#head, event);
  }

  #answer(): void {
    for (const { request, state } of this.#head.prompts) {
      const moment = { isPending: state === 'pending', isIdle: this.isIdle };
      const answer = state === 'expired' ? undefined : answerTo(request, this.who, moment);
      if (answer) this.#requests.answer(this.#sessionId, request, answer);
    }
  }
}
