import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A node that has begun a transaction, and stopped before it gave a statement its values. */
export class StoppedNode {
  readonly #socket: Socket;

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** @param locks - a statement that has run; @param begun - one that was sent without its values */
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

/** A message of PostgreSQL's protocol: its type, its length with that of the length, and what it says. */
function frame(type: string, content = Buffer.alloc(0)): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(content.length + 4);
  return concat(Buffer.from(type), length, content);
}

/** The database waits for the next statement: the last message of what it sends is that it is ready. */
async function ready(socket: Socket): Promise<void> {
  for (let heard = Buffer.alloc(0); ; ) {
    heard = concat(heard, (await once(socket, 'data'))[0]);
    if (heard.at(-6) === 'Z'.charCodeAt(0)) return;
  }
}
