import { type AddressInfo, createServer } from 'node:net';

/** Lets a serial run continue when the swarm reports, by a byte on a separate socket, that its last tab has the response. */
export class Turnstile {
  #passes = 0;
  #waiting: (() => void) | undefined;

  async listen(): Promise<number> {
    const server = createServer((socket) => {
      socket.on('data', (bytes) => this.#open(bytes.length));
      socket.on('error', () => socket.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  }

  async pass(): Promise<void> {
    if (this.#passes === 0) await new Promise<void>((resolve) => (this.#waiting = resolve));
    this.#passes -= 1;
  }

  reset(): void {
    this.#passes = 0;
  }

  #open(count: number): void {
    this.#passes += count;
    const resolve = this.#waiting;
    this.#waiting = undefined;
    resolve?.();
  }
}
