import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Limit } from '@parleyhq/core';

/** How long, in ms, a peer may take to read a refusal. */
const refusalMs = 1000;

/**
 * The sockets of those who have not said who they are: idle ones, requests, upgrades before their welcome. Each holds a
 * descriptor, so their number is limited, for one address to half of it (SEC11).
 */
export class UnadmittedSockets {
  readonly #max: number;
  readonly #maxOfAddress: number;
  readonly #reached: (limit: Limit) => void;
  readonly #addresses = new Map<Duplex, string>();
  readonly #counts = new Map<string, number>();

  /** @param options.isBehindProxy - all come from one address, which says nothing then */
  constructor(options: { max: number; isBehindProxy: boolean; reached: (limit: Limit) => void }) {
    this.#max = options.max;
    this.#maxOfAddress = options.isBehindProxy ? options.max : Math.ceil(options.max / 2);
    this.#reached = options.reached;
  }

  get size(): number {
    return this.#addresses.size;
  }

  /** A socket came. One too many is turned away. */
  meet(socket: Socket): void {
    const address = socket.remoteAddress ?? '';
    const count = this.#counts.get(address) ?? 0;
    if (this.size >= this.#max || count >= this.#maxOfAddress) {
      this.#reached('unadmittedSockets');
      refuse(socket, 503, 'Service Unavailable');
      return;
    }
    this.#addresses.set(socket, address);
    this.#counts.set(address, count + 1);
    socket.once('close', () => this.admit(socket));
  }

  /** It is known now, or gone. */
  admit(socket: Duplex): void {
    const address = this.#addresses.get(socket);
    if (address === undefined) return;
    this.#addresses.delete(socket);
    const count = (this.#counts.get(address) ?? 1) - 1;
    if (count === 0) this.#counts.delete(address);
    else this.#counts.set(address, count);
  }
}

/** Answers with a status and ends the socket: left half open it would hold its descriptor until the peer closes it (SEC11). */
export function refuse(socket: Duplex, status: number, reason: string, words = ''): void {
  const type = words === '' ? '' : 'Content-Type: text/plain; charset=utf-8\r\n';
  const length = `Content-Length: ${Buffer.byteLength(words)}`;
  const timer = setTimeout(() => socket.destroy(), refusalMs).unref();
  socket.once('close', () => clearTimeout(timer));
  socket.on('error', () => socket.destroy());
  socket.resume(); // what is left unread would reset the connection, and the answer with it
  socket.end(`HTTP/1.1 ${status} ${reason}\r\nConnection: close\r\n${type}${length}\r\n\r\n${words}`, () =>
    socket.destroy(),
  );
}
