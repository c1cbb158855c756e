import type { Writable } from 'node:stream';
import { type CloseCode, type Connection, type ConnectionId, closeCodes, type FrameBatch } from '@parleyhq/core';
import type { Durations } from '../node/durations.ts';

/** A reader that leaves this much unread for `slowReaderMs` loses its connection; nobody else is affected (FRM5). */
const maxBacklogBytes = 1024 * 1024;

/** In ms: how long a client may take to answer a close. */
const closeMs = 1000;

/** A larger backlog is dropped at once. Below it, a few large results do not make a slow reader. */
const maxBurstBytes = 16 * 1024 * 1024;

/** Batches of one tick are copied into one buffer up to this size. */
const joinedBytes = 16 * 1024;

export type ConnectionDurations = Pick<Durations, 'heartbeatMs' | 'slowReaderMs'>;

/** How a transport uses the socket below it. */
export interface SocketLink {
  /** Whether frames may still be written. */
  readonly isOpen: boolean;
  encode(batch: FrameBatch): Uint8Array;
  /** Says goodbye, behind what is written. */
  close(code: CloseCode, reason: string): void;
  terminate(): void;
}

export interface SocketConnectionOptions {
  readonly id: ConnectionId;
  /** The socket, or what writes to it: its backlog is measured. */
  readonly stream: Writable;
  readonly link: SocketLink;
  /** How long it may be behind (FRM5). */
  readonly slowReaderMs: number;
  readonly onDrop: (reason: string) => void;
}

/** A connection over a socket, whatever its framing: writes once per tick, and drops a reader that falls too far behind. */
export class SocketConnection implements Connection {
  readonly id: ConnectionId;
  readonly #stream: Writable;
  readonly #link: SocketLink;
  readonly #slowReaderMs: number;
  readonly #onDrop: (reason: string) => void;
  #queue: FrameBatch[] = [];
  #waiting: (() => void)[] = [];
  #release: NodeJS.Immediate | undefined;
  #patience: NodeJS.Timeout | undefined;

  constructor({ id, stream, link, slowReaderMs, onDrop }: SocketConnectionOptions) {
    this.id = id;
    this.#stream = stream;
    this.#link = link;
    this.#slowReaderMs = slowReaderMs;
    this.#onDrop = onDrop;
    stream.on('drain', () => this.#catchUp());
  }

  send(batch: FrameBatch): void {
    if (!this.#link.isOpen) return;
    if (this.#queue.push(batch) === 1) process.nextTick(() => this.#flush());
  }

  drained(): Promise<void> {
    this.#flush();
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#releaseSoon();
    });
  }

  /** Who does not answer the close within its time is cut off. */
  close(code: CloseCode, reason = ''): void {
    this.#flush();
    this.#link.close(code, reason);
    this.#terminateSoon();
  }

  end(): void {
    this.#queue = [];
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
    this.#catchUp();
  }

  #flush(): void {
    const queue = this.#queue;
    if (queue.length === 0) return;
    this.#queue = [];
    if (!this.#link.isOpen) return;
    const buffers = queue.map((batch) => this.#link.encode(batch));
    const parts = joinSmall(buffers);
    if (parts.length > 1) this.#stream.cork();
    for (const part of parts) this.#stream.write(part);
    if (parts.length > 1) this.#stream.uncork();
    if (this.#stream.writableLength > maxBurstBytes) this.#drop();
    else if (this.#isBehind) this.#patience ??= setTimeout(() => this.#losePatience(), this.#slowReaderMs).unref();
  }

  #losePatience(): void {
    this.#patience = undefined;
    if (this.#isBehind) this.#drop();
  }

  get #isBehind(): boolean {
    return this.#stream.writableLength > maxBacklogBytes;
  }

  /** The close queues behind the backlog: the reader gets its code if it catches up within a second. */
  #drop(): void {
    this.#onDrop('slow'); // mutant: buffer-limit
    this.#link.close(closeCodes.tooSlow, 'too slow');
    this.#terminateSoon();
    this.end();
  }

  #terminateSoon(): void {
    setTimeout(() => this.#link.terminate(), closeMs).unref();
  }

  /** The backlog is sent: the connection is no longer late. */
  #catchUp(): void {
    clearTimeout(this.#patience);
    this.#patience = undefined;
    this.#releaseSoon();
  }

  /** Those who wait continue one by one, for what the first sends may be a backlog again. Others run in between. */
  #releaseSoon(): void {
    this.#release ??= setImmediate(() => {
      this.#release = undefined;
      if (this.#stream.writableNeedDrain) return;
      this.#waiting.shift()?.();
      if (this.#waiting.length > 0) this.#releaseSoon();
    });
  }
}

/** An encoder whose bytes are made by the first connection that writes a batch, and shared by the others. */
export function shareEncoded(encode: (texts: readonly string[]) => Buffer): (batch: FrameBatch) => Buffer {
  const encoded = new WeakMap<FrameBatch, Buffer>();
  return (batch) => {
    const known = encoded.get(batch);
    if (known) return known;
    const bytes = encode(batch.texts);
    encoded.set(batch, bytes);
    return bytes;
  };
}

/** Small buffers are cheaper to copy than to write one by one. Large ones, shared between connections, are not copied. */
function joinSmall(buffers: readonly Uint8Array[]): readonly Uint8Array[] {
  const isSmall = buffers.reduce((sum, { length }) => sum + length, 0) <= joinedBytes;
  return isSmall && buffers.length > 1 ? [Buffer.concat(buffers)] : buffers;
}
