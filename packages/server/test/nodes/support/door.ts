import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A port that forwards to servers in turn, like a name in front of a database or a proxy. */
export class Door {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #to: readonly number[];
  #led = 0;

  private constructor(to: readonly number[]) {
    this.#to = to;
    this.#server = createServer((near) => this.#lead(near));
  }

  static async open(...to: readonly number[]): Promise<Door> {
    const door = new Door(to);
    door.#server.listen(0, '127.0.0.1');
    await once(door.#server, 'listening');
    return door;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Closes all connections, and forwards new ones to these servers from now on. */
  leadTo(...ports: readonly number[]): void {
    this.#to = ports;
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #lead(near: Socket): void {
    const port = this.#to[this.#led % this.#to.length];
    this.#led += 1;
    if (port === undefined) {
      near.destroy();
      return;
    }
    const far = connect(port, '127.0.0.1');
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(socket);
      socket.setNoDelay();
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  }
}
