import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { request as secureRequest } from 'node:https';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRecord } from '@parleyhq/core';

/** Where people are asked. */
export interface Place {
  readonly url: string;
  readonly token: string | undefined;
}

export interface AskerOptions {
  /** The door of the server: its path, and the maximum size of what it takes, in bytes. */
  readonly door: { readonly path: string; readonly maxBytes: number };
  /** Who decides while people cannot be asked: the beginning of a report, such as "Questions are asked in the editor alone". */
  readonly otherwise: string;
  /** Finds the server again for each attempt: it may have been started meanwhile. @throws Error if there is none */
  readonly find: () => Promise<Place>;
  /** Shows the person at the program why people are not asked. */
  readonly report: (words: string) => void;
}

/** A question that people were asked. */
export interface Asked {
  /** Resolves with the result for the program; undefined if people will not decide. Never rejects. */
  readonly answer: Promise<object | undefined>;
  /** @param note - why, for people */
  withdraw(note: string): void;
}

/** What the server replied. `refused`: another attempt is of no use; `lost`: it may be. */
export interface Reply {
  readonly status: 'ok' | 'refused' | 'lost';
  readonly body: Readonly<Record<string, unknown>>;
}

/** Pauses between attempts, in ms. */
const pauses = [250, 500, 1000, 2000, 5000];

/** How long the server may take for what no person has to answer, in ms. */
const shortMs = 3000;

/** Refusals that the next attempt would meet again: of the token, or of a server without the door. */
const lasting: ReadonlySet<number> = new Set([400, 401, 403, 404, 405, 413]);

const tokenHint = 'It takes the token of an asker, in PARLEY_ASK_TOKEN: "parley token create --role asker" makes one.';

/** Asks people at a door of the server, through restarts of it. While there is none, the program is alone. */
export class Asker {
  readonly #options: AskerOptions;
  #reported = '';

  constructor(options: AskerOptions) {
    this.#options = options;
  }

  /** Whether a server answers that this token may ask. */
  async isThere(): Promise<boolean> {
    return (await this.post({ kind: 'hello' })).status === 'ok';
  }

  /** @param ready - settles when the question may be sent */
  ask(question: object, ready: Promise<void> = Promise.resolve()): Asked {
    const id = randomUUID();
    const over = new AbortController();
    return {
      answer: this.#persist({ ...question, id }, ready, over.signal).catch(() => undefined), // withdrawn between two attempts
      withdraw: (note) => {
        if (over.signal.aborted) return;
        void this.post({ kind: 'withdraw', id, note }).finally(() => over.abort());
      },
    };
  }

  /**
   * Sends one message to the door.
   * @param over - aborts when nobody waits any more; without it, the server has to answer soon
   */
  async post(body: object, over?: AbortSignal): Promise<Reply> {
    try {
      const { door, find } = this.#options;
      const { status, said } = await send(door, await find(), body, over ?? AbortSignal.timeout(shortMs));
      if (status >= 200 && status < 300) {
        this.#reportBack();
        return { status: 'ok', body: said };
      }
      const { message = `The server says ${status}.` } = isRecord(said.error) ? said.error : {};
      this.#report(status === 401 || status === 403 ? `${message} ${tokenHint}` : String(message));
      return { status: lasting.has(status) ? 'refused' : 'lost', body: said };
    } catch (error) {
      if (!over?.aborted) this.#report(error instanceof Error ? error.message : String(error));
      return { status: 'lost', body: {} };
    }
  }

  async #persist(question: object, ready: Promise<void>, signal: AbortSignal): Promise<object | undefined> {
    await ready;
    for (let attempt = 0; !signal.aborted; attempt += 1) {
      // a server that is back is noticed at once, and not only when somebody has answered
      const { status, body } = await (this.#reported === ''
        ? this.post(question, signal)
        : this.#retry(question, signal));
      if (status === 'refused') return undefined;
      if (status === 'ok') return isRecord(body.result) ? body.result : undefined;
      await sleep(pauses[Math.min(attempt, pauses.length - 1)], undefined, { signal });
    }
    return undefined;
  }

  async #retry(question: object, signal: AbortSignal): Promise<Reply> {
    const greeting = await this.post({ kind: 'hello' });
    return greeting.status === 'ok' ? this.post(question, signal) : greeting;
  }

  /** Says once that people are asked again, after a reason why they were not. */
  #reportBack(): void {
    if (this.#reported !== '') this.#options.report('People are asked again.\n');
    this.#reported = '';
  }

  /** Says each reason once, until people can be asked again. */
  #report(reason: string): void {
    if (reason === this.#reported) return;
    this.#reported = reason;
    this.#options.report(`${this.#options.otherwise}: ${reason}\n`);
  }
}

/**
 * Posts to the door. People may take days, so this has no limit of its own: `fetch` gives up after five minutes.
 * @throws Error for people if no server answers
 */
async function send(
  { path, maxBytes }: AskerOptions['door'],
  { url, token }: Place,
  body: object,
  signal: AbortSignal,
) {
  const text = JSON.stringify(body);
  // the server would close the connection while it is sent, and its refusal could be lost
  if (Buffer.byteLength(text) > maxBytes)
    return { status: 413, said: { error: { message: 'This one is too large.' } } };
  const begin = url.startsWith('https:') ? secureRequest : request;
  const sent = begin(`${url}${path}`, {
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
