import { connect, type Socket } from 'node:net';

/** So many looks at a connection, each after so many ms. */
const mostSilentLooks = 15;
const lookMs = 1000;

/** Where postgres.js wants to connect: one of the hosts, or the path of a Unix socket. */
interface Target {
  readonly host: readonly string[];
  readonly port: readonly number[];
  readonly path: string | false;
}

/**
 * The connections of one pool. A network may swallow what is sent without telling anybody, and TCP goes on trying for a quarter
 * of an hour: a connection on which nothing has come for 15 seconds is given up, and whoever waits hears that the database
 * cannot be reached (DUR8). The pool ends one that is not needed before that.
 */
export class Wires {
  readonly isPatient: boolean;
  readonly #sockets = new Set<Socket>();
  #opened = 0;

  /** @param isPatient - nothing may come for as long as it likes */
  constructor({ isPatient = false }: { readonly isPatient?: boolean } = {}) {
    this.isPatient = isPatient;
  }

  /** Does not wait until it is connected: what is written meanwhile is sent then. */
  readonly open = ({ host, port, path }: Target): Socket => {
    const n = this.#opened % host.length;
    this.#opened += 1;
    const place = { host: host[n] ?? '', port: port[n] ?? 0 };
    const socket = path ? connect(path) : connect(place);
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    socket.once('end', () => {
      if (socket.bytesRead === 0) socket.destroy(new SilentEndError()); // else postgres.js tries again at once, for ever
    });
    if (!this.isPatient) watch(socket);
    return Object.assign(socket, place); // for messages and certificates
  };

  /** Gives all of them up. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

/** Something in front of the database took the connection and ended it: the database is away. */
class SilentEndError extends Error {
  readonly code = 'ECONNRESET';
}

/** Counts looks and not time: a process that was stopped has heard nothing meanwhile. */
function watch(socket: Socket): void {
  let [read, silentLooks] = [0, 0];
  const timer = setInterval(() => {
    silentLooks = socket.bytesRead === read ? silentLooks + 1 : 0;
    read = socket.bytesRead;
    if (silentLooks >= mostSilentLooks) socket.destroy();
  }, lookMs).unref();
  socket.once('close', () => clearInterval(timer));
}
