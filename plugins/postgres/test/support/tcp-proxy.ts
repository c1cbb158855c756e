import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Stands between two processes, as the network does, and can fail as it does. */
export class TcpProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Those on which nothing passes any more. */
  readonly #lost = new WeakSet<Socket>();
  /** Ends of connections that nobody hears of yet. */
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

  /** Nothing passes any more, and nobody is told: a cable is out. */
  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.pause();
  }

  /** Nothing passes on the connections that there are, for good; new ones are taken: something between has forgotten them. */
  lose(): void {
    for (const socket of this.#sockets) {
      this.#lost.add(socket);
      socket.pause();
    }
  }

  /** What was sent meanwhile arrives now. */
  mend(): void {
    this.#isCut = false;
    for (const socket of this.#sockets) if (!this.#lost.has(socket)) socket.resume();
    for (const end of this.#held.splice(0)) end();
  }

  /** Ends every connection, and takes no new one: a load balancer finds the server behind it unwell. */
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
      if (this.#lost.has(from)) return; // the other end never hears of it
      if (this.#isCut) this.#held.push(end);
      else end();
    });
  }
}
