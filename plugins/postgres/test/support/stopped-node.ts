import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A node that stopped within a transaction, after it had sent a statement without its values. */
export class StoppedNode {
  readonly #socket: Socket;

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** @param locks - a statement that has run @param begun - a statement that was sent without its values */
  static async lock(url: string, locks: string, begun: string): Promise<StoppedNode> {
    const { hostname, port, username, pathname } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    const about = ['user', username, 'database', pathname.slice(1), 'application_name', 'parley', ''];
    socket.write(frame('', concat(Buffer.from([0, 3, 0, 0]), ...about.map(text))));
    await ready(socket);
    for (const statement of ['begin', locks]) {
      socket.write(frame('Q', text(statement)));
      await ready(socket);
    }
    socket.write(concat(frame('P', concat(text(''), text(begun), Buffer.alloc(2))), frame('H')));
    return new StoppedNode(socket);
  }

  close(): void {
    this.#socket.destroy();
  }
}

const concat = (...parts: readonly Uint8Array[]) => Buffer.concat(parts);
const text = (value: string) => Buffer.from(`${value}\0`);

/** Encodes a message of PostgreSQL's protocol: its type, its length including the length field, and its content. */
function frame(type: string, content = Buffer.alloc(0)): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(content.length + 4);
  return concat(Buffer.from(type), length, content);
}

/** Resolves when the database is ready for the next statement, which its last message says. */
async function ready(socket: Socket): Promise<void> {
  for (let heard = Buffer.alloc(0); ; ) {
    heard = concat(heard, (await once(socket, 'data'))[0]);
    if (heard.at(-6) === 'Z'.charCodeAt(0)) return;
  }
}
