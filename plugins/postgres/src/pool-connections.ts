import { connect, type Socket } from 'node:net';

/** The number of checks without new data after which a connection is closed, and their interval in ms. */
const mostSilentLooks = 15;
const lookMs = 1000;

/** The target of a connection of postgres.js: one of the hosts, or the path of a Unix socket. */
interface Target {
  readonly host: readonly string[];
  readonly port: readonly number[];
  readonly path: string | false;
}

/**
 * The connections of one pool. A network may drop packets silently, and TCP retries for a quarter of an hour. So a connection
 * that received nothing for 15 seconds is closed, and its statements fail because the database cannot be reached (DUR8). The pool
 * closes idle connections before that.
 */
export class PoolConnections {
  readonly isPatient: boolean;
  readonly #sockets = new Set<Socket>();
  #opened = 0;

  /** @param isPatient - connections may stay silent for any time */
  constructor({ isPatient = false }: { readonly isPatient?: boolean } = {}) {
    this.isPatient = isPatient;
  }

  /** Opens a socket without waiting for the connection: data written meanwhile is sent afterwards. */
  readonly open = ({ host, port, path }: Target): Socket => {
    const n = this.#opened % host.length;
    this.#opened += 1;
    const place = { host: host[n] ?? '', port: port[n] ?? 0 };
    const socket = path ? connect(path) : connect(place);
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    socket.once('end', () => {
      if (socket.bytesRead === 0) socket.destroy(new SilentEndError()); // otherwise postgres.js retries at once, for ever
    });
    if (!this.isPatient) watch(socket);
    return Object.assign(socket, place); // postgres.js uses them for messages and certificates
  };

  /** Closes all connections at once. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

/** A proxy in front of the database accepted the connection and closed it: the database is unavailable. */
class SilentEndError extends Error {
  readonly code = 'ECONNRESET';
}

/**
 * Closes a silent socket. It counts checks instead of time, because a process that was stopped has received nothing meanwhile.
 */
function watch(socket: Socket): void {
  let [read, silentLooks] = [0, 0];
  const timer = setInterval(() => {
    silentLooks = socket.bytesRead === read ? silentLooks + 1 : 0;
    read = socket.bytesRead;
    if (silentLooks >= mostSilentLooks) socket.destroy();
  }, lookMs).unref();
  socket.once('close', () => clearInterval(timer));
}
