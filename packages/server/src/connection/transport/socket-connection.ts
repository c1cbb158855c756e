import type { Writable } from 'node:stream';
import { type CloseCode, type Connection, type ConnectionId, closeCodes, type FrameBatch } from '@parleyhq/core';
import type { Durations } from '@parleyhq/runtime';

/** A reader with a backlog of this size for `slowReaderMs` loses its connection; nobody else is affected (FRM5). */
const maxBacklogBytes = 1024 * 1024;

/** In ms: how long a client may take to acknowledge a close. */
const closeMs = 1000;

/** A connection with a larger backlog is dropped at once. A few large results stay below it. */
const maxBurstBytes = 16 * 1024 * 1024;

/** Batches of one tick are copied into one buffer up to this size. */
const joinedBytes = 16 * 1024;

export type ConnectionDurations = Pick<Durations, 'heartbeatMs' | 'slowReaderMs'>;

/** Access to a transport's socket. */
export interface SocketLink {
  /** Whether frames may still be written. */
  readonly isOpen: boolean;
  encode(batch: FrameBatch): Uint8Array;
  /** Sends the close after what was written. */
  close(code: CloseCode, reason: string): void;
  terminate(): void;
}

export interface SocketConnectionOptions {
  readonly id: ConnectionId;
  /** The socket or the stream that writes to it; its backlog is measured. */
  readonly stream: Writable;
  readonly link: SocketLink;
  /** In ms: how long it may have a backlog (FRM5). */
  readonly slowReaderMs: number;
  readonly onDrop: (reason: string) => void;
}

/** Connections that have something to write at the end of the tick: one callback serves all tabs of a session. */
let unflushed: SocketConnection[] = [];

function flushSoon(connection: SocketConnection): void {
  if (unflushed.push(connection) > 1) return;
  process.nextTick(() => {
    const connections = unflushed;
    unflushed = [];
    for (const each of connections) each.flush();
  });
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
    if (this.#queue.push(batch) === 1) flushSoon(this);
  }

  drained(): Promise<void> {
    this.flush();
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#releaseSoon();
    });
  }

  /** Closes the connection; a client that does not acknowledge in time is cut off. */
  close(code: CloseCode, reason = ''): void {
    this.flush();
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

  /** Writes what was sent in this tick. */
  flush(): void {
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

  /**
   * Drops a slow reader. The close is queued behind the backlog, so the reader gets its code if it catches up within a second.
   */
  #drop(): void {
    this.#onDrop('slow'); // mutant: buffer-limit
    this.#link.close(closeCodes.tooSlow, 'too slow');
    this.#terminateSoon();
    this.end();
  }

  #terminateSoon(): void {
    setTimeout(() => this.#link.terminate(), closeMs).unref();
  }

  /** Ends the slow-reader timer, because the backlog was sent. */
  #catchUp(): void {
    clearTimeout(this.#patience);
    this.#patience = undefined;
    this.#releaseSoon();
  }

  /** Resumes waiting senders one by one, because the first may create a backlog again; others run in between. */
  #releaseSoon(): void {
    this.#release ??= setImmediate(() => {
      this.#release = undefined;
      if (this.#stream.writableNeedDrain) return;
      this.#waiting.shift()?.();
      if (this.#waiting.length > 0) this.#releaseSoon();
    });
  }
}

/** Returns an encoder that encodes a batch once and shares the bytes between connections. */
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

/**
 * Joins small buffers, which are cheaper to copy than to write one by one. Large ones, shared between connections, are not
 * copied.
 */
function joinSmall(buffers: readonly Uint8Array[]): readonly Uint8Array[] {
  const isSmall = buffers.reduce((sum, { length }) => sum + length, 0) <= joinedBytes;
  return isSmall && buffers.length > 1 ? [Buffer.concat(buffers)] : buffers;
}
