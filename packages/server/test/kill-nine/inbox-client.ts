import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerFrame, ServerFrameOf } from '@parleyhq/core';
import { answerTo } from './answers.ts';
import type { Client } from './client.ts';
import type { HistoryEntry } from './history.ts';
import { Link } from './link.ts';
import { PendingRequests } from './pending-requests.ts';

const visitMs = 15;

/** A person without an open tab, who connects, answers what is in the inbox, and disconnects, again and again. */
export class InboxClient implements Client {
  readonly who: string;
  readonly entries: HistoryEntry[] = [];
  readonly #port: () => number;
  readonly #sessionId: string;
  readonly #requests = new PendingRequests(this.entries);
  #isLeaving = false;
  #life: Promise<void> | undefined;

  constructor(who: string, port: () => number, sessionId: string) {
    this.who = who;
    this.#port = port;
    this.#sessionId = sessionId;
  }

  async join(): Promise<void> {
    this.#life = this.#live();
  }

  say(messageId: string, text: string): void {
    this.#requests.say(this.#sessionId, messageId, text);
  }

  hasSeen(): boolean {
    return this.#requests.isEmpty;
  }

  async leave(): Promise<void> {
    this.#isLeaving = true;
    await this.#life;
  }

  async #live(): Promise<void> {
    while (!this.#isLeaving) {
      await this.#visit().catch(() => undefined); // the server is down
      await sleep(visitMs);
    }
  }

  async #visit(): Promise<void> {
    const receive = (frame: ServerFrame) => frame.type === 'reply' && this.#requests.receive(frame);
    const { link, welcome } = await Link.open(this.#port(), this.who, receive);
    this.#answer(welcome);
    this.#requests.use(link);
    while (!this.#requests.isEmpty && (await Promise.race([link.closed.then(() => false), sleep(2, true)])));
    this.#requests.use(undefined);
    await link.close();
  }

  #answer({ sessions, open }: ServerFrameOf<'welcome'>): void {
    const isIdle = sessions.find(({ id }) => id === this.#sessionId)?.status === 'idle';
    for (const { sessionId, interaction, pending = false } of open) {
      if (sessionId !== this.#sessionId) continue;
      const answer = answerTo(interaction, this.who, { isPending: pending, isIdle });
      if (answer) this.#requests.answer(sessionId, interaction, answer);
    }
  }
}
