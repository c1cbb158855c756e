import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerFrame, ServerFrameOf } from '@parleyhq/core';
import type { HistoryEntry } from './history.ts';
import { Letters } from './letters.ts';
import { Line } from './line.ts';
import type { Person } from './person.ts';
import { answerTo } from './script.ts';

const visitMs = 15;

/** Somebody with no tab open: looks into the inbox, answers what is there, is told so, and leaves. Nobody stays. */
export class Visitor implements Person {
  readonly who: string;
  readonly entries: HistoryEntry[] = [];
  readonly #port: () => number;
  readonly #sessionId: string;
  readonly #letters = new Letters(this.entries);
  #isLeaving = false;
  #life: Promise<void> | undefined;

  constructor(who: string, port: () => number, sessionId: string) {
    this.who = who;
    this.#port = port;
    this.#sessionId = sessionId;
  }

  async come(): Promise<void> {
    this.#life = this.#live();
  }

  say(messageId: string, text: string): void {
    this.#letters.say(this.#sessionId, messageId, text);
  }

  hasSeen(): boolean {
    return this.#letters.isEmpty;
  }

  async leave(): Promise<void> {
    this.#isLeaving = true;
    await this.#life;
  }

  async #live(): Promise<void> {
    while (!this.#isLeaving) {
      await this.#visit().catch(() => undefined); // the server is away
      await sleep(visitMs);
    }
  }

  async #visit(): Promise<void> {
    const receive = (frame: ServerFrame) => frame.type === 'reply' && this.#letters.receive(frame);
    const { line, welcome } = await Line.open(this.#port(), this.who, receive);
    this.#answer(welcome);
    this.#letters.use(line);
    while (!this.#letters.isEmpty && (await Promise.race([line.closed.then(() => false), sleep(2, true)])));
    this.#letters.use(undefined);
    await line.close();
  }

  #answer({ sessions, open }: ServerFrameOf<'welcome'>): void {
    const isIdle = sessions.find(({ id }) => id === this.#sessionId)?.status === 'idle';
    for (const { sessionId, interaction, pending = false } of open) {
      if (sessionId !== this.#sessionId) continue;
      const answer = answerTo(interaction, this.who, { isPending: pending, isIdle });
      if (answer) this.#letters.answer(sessionId, interaction, answer);
    }
  }
}
