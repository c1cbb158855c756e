import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRecord } from '@parleyhq/core';
import { describePlan } from '../plan.ts';
import { doorPath, maxBytes } from './door-path.ts';
import type { Asked, News, Question } from './proxy.ts';

/** Where people are asked. */
export interface Place {
  readonly url: string;
  readonly token: string | undefined;
}

export interface AskerOptions {
  /** The agent's name, for people. */
  readonly agent: string;
  /** Finds the server again for each attempt: it may have been started meanwhile. @throws Error if there is none */
  readonly find: () => Promise<Place>;
  /** Shows the person at the editor why people are not asked. */
  readonly report: (words: string) => void;
}

/** Pauses between attempts, in ms. */
const pauses = [250, 500, 1000, 2000, 5000];

/** How long the server may take for what no person has to answer, in ms. */
const shortMs = 3000;
/** How long news of a session are gathered, in ms. */
const gatherMs = 2000;
/** Limits of what is kept of a session until it first asks, and of an output, in characters. */
const maxNews = 20_000;
const maxOutput = 1000;

/** Refusals that the next attempt would meet again: of the token, or of a server without the door. */
const lasting: ReadonlySet<number> = new Set([400, 401, 403, 404, 405, 413]);

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

/** Asks people at the server, through restarts of it. While there is none, the editor is alone. */
export class Asker {
  readonly #options: AskerOptions;
  readonly #news = new Map<string, Gathered>();
  #reported = '';

  constructor(options: AskerOptions) {
    this.#options = options;
  }

  /** Whether a server answers that this token may ask. */
  async isThere(): Promise<boolean> {
    return (await this.#post({ kind: 'hello' })).status === 'ok';
  }

  ask({ kind, sessionId, cwd, call, params }: Question): Asked {
    const id = randomUUID();
    const over = new AbortController();
    const question = { kind, id, agent: this.#options.agent, session: sessionId, cwd, call, params };
    return {
      answer: this.#persist(question, over.signal).catch(() => undefined),
      withdraw: (note) => {
        if (over.signal.aborted) return;
        void this.#post({ kind: 'withdraw', id, note }).finally(() => over.abort());
      },
    };
  }

  /** Gathers what happens in a session, and sends it once the session has asked something. */
  tell({ sessionId, cwd, plan, call }: News): void {
    const news = this.#newsOf(sessionId, cwd);
    const lines = plan === undefined ? [] : describePlan(plan);
    if (call) lines.push(`**${call.title}**: ${call.hasFailed ? 'failed' : 'done'}${quote(call.output)}`);
    if (lines.length === 0) return;
    news.text = `${news.text}${lines.join('\n')}\n\n`.slice(-maxNews);
    if (news.isAsking) news.timer ??= setTimeout(() => void this.#send(sessionId), gatherMs);
  }

  /** Sends what is gathered. */
  async flush(): Promise<void> {
    const asking = [...this.#news].filter(([, { isAsking }]) => isAsking);
    await Promise.all(asking.map(([sessionId]) => this.#send(sessionId)));
  }

  async #persist(question: { readonly session: string; readonly cwd: string | undefined }, signal: AbortSignal) {
    const news = this.#newsOf(question.session, question.cwd);
    news.isAsking = true;
    await this.#send(question.session);
    for (let attempt = 0; !signal.aborted; attempt += 1) {
      const { status, body } = await this.#post(question, signal);
      if (status === 'refused') return undefined;
      if (status === 'ok') return isRecord(body.result) ? body.result : undefined;
      await sleep(pauses[Math.min(attempt, pauses.length - 1)], undefined, { signal });
    }
    return undefined;
  }

  #newsOf(sessionId: string, cwd: string | undefined): Gathered {
    const known = this.#news.get(sessionId) ?? { text: '', cwd, isAsking: false, sent: Promise.resolve() };
    this.#news.set(sessionId, known);
    return known;
  }

  async #send(sessionId: string): Promise<void> {
    const news = this.#news.get(sessionId);
    if (!news) return;
    clearTimeout(news.timer);
    news.sent = news.sent.then(() => this.#postNews(sessionId, news));
    await news.sent;
  }

  async #postNews(session: string, news: Gathered): Promise<void> {
    const { cwd } = news;
    const text = news.text.trim();
    news.text = '';
    news.timer = undefined;
    if (text !== '') await this.#post({ kind: 'news', agent: this.#options.agent, session, cwd, text });
  }

  /**
   * @param over - aborts when nobody waits any more; without it, the server has to answer soon
   * @returns `refused` if another attempt is of no use, `lost` if it may be. Never rejects.
   */
  async #post(
    body: object,
    over?: AbortSignal,
  ): Promise<{ readonly status: 'ok' | 'refused' | 'lost'; readonly body: Record<string, unknown> }> {
    try {
      const { status, said } = await send(await this.#options.find(), body, over ?? AbortSignal.timeout(shortMs));
      if (status >= 200 && status < 300) {
        this.#reported = '';
        return { status: 'ok', body: said };
      }
      const { message = `The server says ${status}.` } = isRecord(said.error) ? said.error : {};
      this.#report(String(message));
      return { status: lasting.has(status) ? 'refused' : 'lost', body: said };
    } catch (error) {
      if (!over?.aborted) this.#report(error instanceof Error ? error.message : String(error));
      return { status: 'lost', body: {} };
    }
  }

  /** Says each reason once, until people can be asked again. */
  #report(reason: string): void {
    if (reason === this.#reported) return;
    this.#reported = reason;
    this.#options.report(`Questions are asked in the editor alone: ${reason}\n`);
  }
}

/**
 * Posts to the door. People may take days, so this has no limit of its own: `fetch` gives up after five minutes.
 * @throws Error for people if no server answers
 */
async function send({ url, token }: Place, body: object, signal: AbortSignal) {
  const text = JSON.stringify(body);
  // the server would close the connection while it is sent, and its refusal could be lost
  if (Buffer.byteLength(text) > maxBytes)
    return { status: 413, said: { error: { message: 'This one is too large.' } } };
  const sent = request(`${url}${doorPath}`, {
    method: 'POST',
    agent: false, // a connection that was kept may be closed already
    headers: { 'content-type': 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    signal,
  });
  try {
    sent.end(text);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    sent.on('error', () => undefined); // reading the response fails, too
    const said = await json(response).catch((error) => {
      if (!response.complete) throw error;
    });
    return { status: response.statusCode ?? 0, said: isRecord(said) ? said : {} };
  } catch (cause) {
    throw new Error(`No server answers at ${url}.`, { cause });
  }
}

/** The output of a call as a block that its own backticks cannot end. */
function quote(output: string): string {
  const text = output.trim();
  if (text === '') return '';
  const shown = text.length > maxOutput ? `${text.slice(0, maxOutput)} …` : text;
  const mark = '`'.repeat(Math.max(2, ...Array.from(shown.matchAll(/`+/g), ([ticks]) => ticks.length)) + 1);
  return `\n${mark}\n${shown}\n${mark}`;
}
