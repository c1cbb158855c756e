import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A port that leads to a server, and then to another: what a name in front of a database does. */
export class Door {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #to: number;

  private constructor(to: number) {
    this.#to = to;
    this.#server = createServer((near) => this.#lead(near));
  }

  static async open(to: number): Promise<Door> {
    const door = new Door(to);
    door.#server.listen(0, '127.0.0.1');
    await once(door.#server, 'listening');
    return door;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Whoever is connected is cut off, and comes to the other server from now on. */
  leadTo(port: number): void {
    this.#to = port;
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #lead(near: Socket): void {
    const far = connect(this.#to, '127.0.0.1');
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
