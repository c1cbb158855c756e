import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Limit } from '@parleyhq/core';

/** Time in ms that a peer may take to read a refusal. */
const refusalMs = 1000;

/**
 * The sockets of unauthenticated clients: idle ones, requests, upgrades before their welcome. Each uses a file descriptor, so
 * their number is limited, and a single address may use half of it (SEC11).
 */
export class UnadmittedSockets {
  readonly #max: number;
  readonly #maxOfAddress: number;
  readonly #reached: (limit: Limit) => void;
  readonly #addresses = new Map<Duplex, string>();
  readonly #counts = new Map<string, number>();

  /** @param options.isBehindProxy - all clients come from the proxy's address, so there is no limit per address */
  constructor(options: { max: number; isBehindProxy: boolean; reached: (limit: Limit) => void }) {
    this.#max = options.max;
    this.#maxOfAddress = options.isBehindProxy ? options.max : Math.ceil(options.max / 2);
    this.#reached = options.reached;
  }

  get size(): number {
    return this.#addresses.size;
  }

  /** Counts a new socket, or refuses it if there are too many. */
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

  /** Stops counting a socket that was authenticated or closed. */
  admit(socket: Duplex): void {
    const address = this.#addresses.get(socket);
    if (address === undefined) return;
    this.#addresses.delete(socket);
    const count = (this.#counts.get(address) ?? 1) - 1;
    if (count === 0) this.#counts.delete(address);
    else this.#counts.set(address, count);
  }
}

/** Responds with a status and ends the socket; left half open, it would hold its descriptor until the peer closes it (SEC11). */
export function refuse(socket: Duplex, status: number, reason: string, words = ''): void {
  const type = words === '' ? '' : 'Content-Type: text/plain; charset=utf-8\r\n';
  const length = `Content-Length: ${Buffer.byteLength(words)}`;
  const timer = setTimeout(() => socket.destroy(), refusalMs).unref();
  socket.once('close', () => clearTimeout(timer));
  socket.on('error', () => socket.destroy());
  socket.resume(); // unread data would reset the connection and lose the response
  socket.end(`HTTP/1.1 ${status} ${reason}\r\nConnection: close\r\n${type}${length}\r\n\r\n${words}`, () =>
    socket.destroy(),
  );
}
