import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Simulates the network between two processes, with its failures. */
export class TcpProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Connections on which nothing passes any more. */
  readonly #lost = new WeakSet<Socket>();
  /** Ends of connections that have not been passed on yet. */
  #held: (() => void)[] = [];
  #isCut = false;
  #isShut = false;

  private constructor(target: () => number) {
    this.#server = createServer((near) => {
      near.on('error', () => near.destroy());
      if (this.#isShut) {
        near.destroy();
        return;
      }
      const far = connect(target(), '127.0.0.1');
      this.#join(near, far);
      this.#join(far, near);
    });
  }

  /** @param target - the port behind it, asked for with each connection */
  static async before(target: () => number): Promise<TcpProxy> {
    const proxy = new TcpProxy(target);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Drops everything silently, as if a cable was unplugged. */
  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.pause();
  }

  /** Drops everything on existing connections for good, as if a router had forgotten them; new ones work. */
  lose(): void {
    for (const socket of this.#sockets) {
      this.#lost.add(socket);
      socket.pause();
    }
  }

  /** Repairs the network; data that was sent meanwhile arrives now. */
  mend(): void {
    this.#isCut = false;
    for (const socket of this.#sockets) if (!this.#lost.has(socket)) socket.resume();
    for (const end of this.#held.splice(0)) end();
  }

  /** Ends all connections and accepts no new ones, like a load balancer whose server is unhealthy. */
  shut(): void {
    this.#isShut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  open(): void {
    this.#isShut = false;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #join(from: Socket, to: Socket): void {
    this.#sockets.add(from);
    from.setNoDelay();
    if (this.#isCut) from.pause();
    from.on('data', (chunk) => to.write(chunk));
    from.on('error', () => from.destroy());
    from.on('close', () => {
      this.#sockets.delete(from);
      const end = () => to.end(() => to.destroy());
      if (this.#lost.has(from)) return; // the other side is never notified
      if (this.#isCut) this.#held.push(end);
      else end();
    });
  }
}
