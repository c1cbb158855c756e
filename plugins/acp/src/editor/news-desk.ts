import { fenceCode } from '@parleyhq/core';
import { describePlan } from '../plan.ts';
import type { News } from './proxy.ts';

/** How long news of a session are gathered, in ms. */
const gatherMs = 2000;
/** Limits of what is kept of a session until it first asks, and of an output, in characters. */
const maxNews = 20_000;
const maxOutput = 1000;

/** News of a session as the server takes them. */
export interface Bulletin {
  readonly session: string;
  readonly cwd: string | undefined;
  readonly text: string;
}

interface Gathered {
  text: string;
  readonly cwd: string | undefined;
  /** Whether the session has asked: the news of one that never asks are not sent. */
  isAsking: boolean;
  /** Begins to send the text; it is not set anew before that, so that at most one waits for the news before it. */
  timer?: NodeJS.Timeout | undefined;
  /** Resolves when the server has, or has not, taken all news. */
  sent: Promise<void>;
}

/** Gathers what happens in each session, and sends it once the session has asked something. */
export class NewsDesk {
  readonly #send: (bulletin: Bulletin) => Promise<unknown>;
  readonly #sessions = new Map<string, Gathered>();

  /** @param send - never rejects */
  constructor(send: (bulletin: Bulletin) => Promise<unknown>) {
    this.#send = send;
  }

  tell({ sessionId, cwd, plan, call }: News): void {
    const news = this.#of(sessionId, cwd);
    const lines = plan === undefined ? [] : describePlan(plan);
    if (call) lines.push(`**${call.title}**: ${call.hasFailed ? 'failed' : 'done'}${quote(call.output)}`);
    if (lines.length === 0) return;
    news.text = `${news.text}${lines.join('\n')}\n\n`.slice(-maxNews);
    if (news.isAsking) news.timer ??= setTimeout(() => void this.#publish(sessionId, news), gatherMs);
  }

  /** Sends what a session has done before it asks, and from then on what it does. */
  async open(sessionId: string, cwd: string | undefined): Promise<void> {
    const news = this.#of(sessionId, cwd);
    news.isAsking = true;
    await this.#publish(sessionId, news);
  }

  /** Sends what is gathered. */
  async flush(): Promise<void> {
    const asking = [...this.#sessions].filter(([, { isAsking }]) => isAsking);
    await Promise.all(asking.map(([sessionId, news]) => this.#publish(sessionId, news)));
  }

  #of(sessionId: string, cwd: string | undefined): Gathered {
    const known = this.#sessions.get(sessionId) ?? { text: '', cwd, isAsking: false, sent: Promise.resolve() };
    this.#sessions.set(sessionId, known);
    return known;
  }

  async #publish(session: string, news: Gathered): Promise<void> {
    clearTimeout(news.timer);
    news.sent = news.sent.then(async () => {
      const text = news.text.trim();
      news.text = '';
      news.timer = undefined;
      if (text !== '') await this.#send({ session, cwd: news.cwd, text });
    });
    await news.sent;
  }
}

function quote(output: string): string {
  const text = output.trim();
  return text === '' ? '' : `\n${fenceCode(text.length > maxOutput ? `${text.slice(0, maxOutput)} …` : text)}`;
}
