import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRecord } from '@parleyhq/core';
import { doorPath, maxBytes } from './door-path.ts';
import { NewsDesk } from './news-desk.ts';
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

/** Refusals that the next attempt would meet again: of the token, or of a server without the door. */
const lasting: ReadonlySet<number> = new Set([400, 401, 403, 404, 405, 413]);

/** Asks people at the server, through restarts of it. While there is none, the editor is alone. */
export class Asker {
  readonly #options: AskerOptions;
  readonly #news: NewsDesk;
  #reported = '';

  constructor(options: AskerOptions) {
    this.#options = options;
    this.#news = new NewsDesk((bulletin) => this.#post({ kind: 'news', agent: options.agent, ...bulletin }));
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
      answer: this.#persist(question, over.signal).catch(() => undefined), // withdrawn between two attempts
      withdraw: (note) => {
        if (over.signal.aborted) return;
        void this.#post({ kind: 'withdraw', id, note }).finally(() => over.abort());
      },
    };
  }

  /** Shows what happened in a session in its transcript, once it has asked something. */
  tell(news: News): void {
    this.#news.tell(news);
  }

  /** Sends the news that are left. */
  async flush(): Promise<void> {
    await this.#news.flush();
  }

  async #persist(question: { readonly session: string; readonly cwd: string | undefined }, signal: AbortSignal) {
    await this.#news.open(question.session, question.cwd);
    for (let attempt = 0; !signal.aborted; attempt += 1) {
      const { status, body } = await this.#post(question, signal);
      if (status === 'refused') return undefined;
      if (status === 'ok') return isRecord(body.result) ? body.result : undefined;
      await sleep(pauses[Math.min(attempt, pauses.length - 1)], undefined, { signal });
    }
    return undefined;
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
