import { randomUUID } from 'node:crypto';
import type { Bus, Json } from '@parleyhq/core';
import type { Sql } from './database.ts';
import type { NotificationListener } from './notification-listener.ts';

const channel = 'parley_bus';

/** Messages that are published within this time are sent together, in ms. */
const windowMs = 20;

/** In UTF-16 units, each at most three bytes: a PostgreSQL notification must be shorter than 8,000 bytes. */
const pieceLength = 2500;

/** Limit of the queue in UTF-16 units; further messages are dropped. The largest result of a call has 1.4 million, encrypted. */
const mostWaiting = 4_000_000;

/** A batch of messages that has not completely arrived. */
interface Arriving {
  readonly batch: string;
  readonly pieces: string[];
}

/** Sends messages as notifications, in chunks, so that the database stores them in no table and no log. */
export class NotifyBus implements Bus {
  readonly #sql: Sql;
  readonly #ear: NotificationListener;
  /** Id of this process, by which it recognises its own notifications. */
  readonly #sender = randomUUID();
  #waiting: string[] = [];
  #waitingLength = 0;
  #batches = 0;
  #sending: Promise<void> | undefined;
  #isClosed = false;
  /**
   * Incomplete batches by sender. The chunks of a batch are sent in one transaction, so no other of that sender comes between.
   */
  readonly #arriving = new Map<string, Arriving>();

  constructor(sql: Sql, ear: NotificationListener) {
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
    const onPayload = (payload: string) => {
      for (const message of this.#take(payload)) onMessage(message);
    };
    const onListen = () => {
      if (!isFirst) onGap(); // it listens again after its connection was lost
      isFirst = false;
    };
    await this.#ear.listen(channel, onPayload, onListen);
    await this.#ear.open();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#sending;
  }

  /** Sends one statement at a time, because notifications arrive in the order of their transactions. */
  async #send(): Promise<void> {
    while (this.#waiting.length > 0) {
      await new Promise((resolve) => setTimeout(resolve, windowMs));
      const text = `[${this.#waiting.join(',')}]`;
      [this.#waiting, this.#waitingLength] = [[], 0];
      this.#batches += 1;
      const pieces = cut(text);
      const payloads = pieces.map((piece, n) => `${this.#sender} ${this.#batches} ${n}/${pieces.length} ${piece}`);
      await this.#sql`select pg_notify(${channel}, payload) from unnest(${payloads}::text[]) as payload`.catch(
        () => undefined, // the batch is dropped; writes to the store will report that the database cannot be reached
      );
    }
  }

  /** @returns the messages of a batch once its last chunk arrives, else none; a batch whose beginning was lost is dropped */
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

/** Cuts a text into chunks without splitting surrogate pairs. */
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
