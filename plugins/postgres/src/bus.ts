import { randomUUID } from 'node:crypto';
import type { Bus, Json } from '@parleyhq/core';
import type { Sql } from './database.ts';
import type { Ear } from './ear.ts';

const channel = 'parley_bus';

/** In ms: what is published within it leaves together. */
const windowMs = 20;

/** UTF-16 units, each at most three bytes: PostgreSQL takes less than 8,000 bytes a notification. */
const pieceLength = 2500;

/** UTF-16 units that wait for the database; what comes on top is dropped. The largest result of a call has 1.4 million, sealed. */
const mostWaiting = 4_000_000;

/** A batch of messages that has not come whole yet. */
interface Arriving {
  readonly batch: string;
  readonly pieces: string[];
}

/** Messages as notifications, in pieces: what the database is told is in no table and in no log of it (OPS4). */
export class NotifyBus implements Bus {
  readonly #sql: Sql;
  readonly #ear: Ear;
  /** Names this process: a notification comes back to it, too. */
  readonly #sender = randomUUID();
  #waiting: string[] = [];
  #waitingLength = 0;
  #batches = 0;
  #sending: Promise<void> | undefined;
  #isClosed = false;
  /** By sender. All pieces of a batch are of one transaction, so that nothing of the same sender comes between them. */
  readonly #arriving = new Map<string, Arriving>();

  constructor(sql: Sql, ear: Ear) {
    this.#sql = sql;
    this.#ear = ear;
  }

  publish(message: Json): void {
    const text = JSON.stringify(message);
    if (this.#isClosed || this.#waitingLength + text.length > mostWaiting) return;
    this.#waiting.push(text);
    this.#waitingLength += text.length;
    this.#sending ??= this.#send().finally(() => {
      this.#sending = undefined;
    });
  }

  async subscribe(onMessage: (message: Json) => void, onGap: () => void = () => undefined): Promise<void> {
    let isFirst = true;
    const hear = (payload: string) => {
      for (const message of this.#take(payload)) onMessage(message);
    };
    const onListen = () => {
      if (!isFirst) onGap(); // its connection was lost
      isFirst = false;
    };
    await this.#ear.listen(channel, hear, onListen);
    await this.#ear.open();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#sending;
  }

  /** One statement at a time: the order of transactions is the order of what they tell. */
  async #send(): Promise<void> {
    while (this.#waiting.length > 0) {
      await new Promise((resolve) => setTimeout(resolve, windowMs));
      const text = `[${this.#waiting.join(',')}]`;
      [this.#waiting, this.#waitingLength] = [[], 0];
      this.#batches += 1;
      const pieces = cut(text);
      const payloads = pieces.map((piece, n) => `${this.#sender} ${this.#batches} ${n}/${pieces.length} ${piece}`);
      await this.#sql`select pg_notify(${channel}, payload) from unnest(${payloads}::text[]) as payload`.catch(
        () => undefined, // the batch is dropped; that the database cannot be reached is told by what must be stored
      );
    }
  }

  /** @returns the messages of a batch with its last piece, else none. A batch whose beginning was lost is dropped. */
  #take(payload: string): readonly Json[] {
    const [head, sender = '', batch = '', at, count] = /^(\S+) (\d+) (\d+)\/(\d+) /.exec(payload) ?? [];
    if (head === undefined || sender === this.#sender) return [];
    const known = this.#arriving.get(sender);
    const pieces = known?.batch === batch ? known.pieces : [];
    this.#arriving.delete(sender);
    if (Number(at) !== pieces.length) return [];
    pieces.push(payload.slice(head.length));
    if (pieces.length === Number(count)) return JSON.parse(pieces.join(''));
    this.#arriving.set(sender, { batch, pieces });
    return [];
  }
}

/** Cuts a text without parting what UTF-16 writes in two units. */
function cut(text: string): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    const end = at + pieceLength;
    const isParted = /[\ud800-\udbff]/.test(text.charAt(end - 1));
    pieces.push(text.slice(at, isParted ? end - 1 : end));
    at = isParted ? end - 1 : end;
  }
  return pieces;
}
