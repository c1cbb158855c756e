import { setTimeout as sleep } from 'node:timers/promises';
import { type ChatEvent, emptyHead, type Head, reduceHead, type ServerFrame } from '@parleyhq/core';
import type { HistoryEntry } from './history.ts';
import { Letters } from './letters.ts';
import { Line } from './line.ts';
import type { Person } from './person.ts';
import { answerTo } from './script.ts';

/** A tab that stays: follows the session, answers what it sees, and comes back after every break with its cursor. */
export class Tab implements Person {
  readonly who: string;
  readonly entries: HistoryEntry[] = [];
  readonly #port: () => number;
  readonly #sessionId: string;
  readonly #letters = new Letters(this.entries);
  #head: Head = emptyHead;
  #epoch: string | undefined;
  #line: Line | undefined;
  #isLeaving = false;
  #life: Promise<void> | undefined;
  #onLive: (() => void) | undefined;

  constructor(who: string, port: () => number, sessionId: string) {
    this.who = who;
    this.#port = port;
    this.#sessionId = sessionId;
  }

  /** Resolves when it follows the session for the first time. */
  async come(): Promise<void> {
    const live = new Promise<void>((resolve) => {
      this.#onLive = resolve;
    });
    this.#life = this.#live();
    await live;
  }

  say(messageId: string, text: string): void {
    this.#letters.say(this.#sessionId, messageId, text);
  }

  hasSeen(seq: number): boolean {
    return this.#head.seq >= seq && this.#letters.isEmpty;
  }

  async leave(): Promise<void> {
    this.#isLeaving = true;
    await this.#line?.close();
    await this.#life;
  }

  async #live(): Promise<void> {
    while (!this.#isLeaving) {
      try {
        const { line } = await Line.open(this.#port(), this.who, (frame) => this.#receive(frame));
        this.#line = line;
        if (this.#isLeaving) void line.close();
        const cursor = this.#epoch === undefined ? {} : { cursor: { epoch: this.#epoch, seq: this.#head.seq } };
        line.send({ type: 'subscribe', sessionId: this.#sessionId, ...cursor });
        this.#letters.use(line);
        await line.closed;
      } catch {
        await sleep(15); // the server is away
      }
      this.#letters.use(undefined);
    }
  }

  #receive(frame: ServerFrame): void {
    switch (frame.type) {
      case 'reply':
        this.#letters.receive(frame);
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

  #fold(event: ChatEvent): void {
    this.entries.push({ kind: 'event', event });
    this.#head = reduceHead(this.#head, event);
  }

  #answer(): void {
    for (const { request, state } of this.#head.prompts) {
      const moment = { isPending: state === 'pending', isIdle: this.#head.turn === null };
      const answer = state === 'expired' ? undefined : answerTo(request, this.who, moment);
      if (answer) this.#letters.answer(this.#sessionId, request, answer);
    }
  }
}
