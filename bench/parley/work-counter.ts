import { createHook } from 'node:async_hooks';
import { Socket } from 'node:net';
import Sqlite from 'better-sqlite3';

/** What a process has done so far, as numbers that do not depend on the machine. */
export interface Work {
  /** Statements that SQLite ran, those that begin and end transactions included. */
  statements: number;
  transactions: number;
  /** Rows inserted, updated or deleted, and the UTF-8 bytes of the texts bound to the statements that did. */
  rows: number;
  'row bytes': number;
  /** Frames of WebSocket, and the writes to sockets that sent them. */
  frames: number;
  'socket writes': number;
  'JSON.stringify': number;
  'JSON.parse': number;
  promises: number;
  nextTick: number;
  setTimeout: number;
  /** Timers that ran, of those set meanwhile. */
  'timers run': number;
  setImmediate: number;
}

type Call = (...args: unknown[]) => unknown;

const counted: Readonly<Record<string, keyof Work>> = {
  PROMISE: 'promises',
  TickObject: 'nextTick',
  Timeout: 'setTimeout',
  Immediate: 'setImmediate',
};

/** Counts the work of this process by wrapping the functions that do it, which costs time: never measure times meanwhile. */
export class WorkCounter {
  readonly #work: Work = {
    statements: 0,
    transactions: 0,
    rows: 0,
    'row bytes': 0,
    frames: 0,
    'socket writes': 0,
    'JSON.stringify': 0,
    'JSON.parse': 0,
    promises: 0,
    nextTick: 0,
    setTimeout: 0,
    'timers run': 0,
    setImmediate: 0,
  };
  readonly #undo: (() => void)[] = [];
  readonly #marks: Work[] = [];

  start(): void {
    const work = this.#work;
    this.#wrap(JSON, 'stringify', () => (work['JSON.stringify'] += 1));
    this.#wrap(JSON, 'parse', () => (work['JSON.parse'] += 1));
    this.#wrap(Socket.prototype, 'write', (_, [bytes]) => {
      work['socket writes'] += 1;
      work.frames += countFrames(bytes as Buffer);
    });
    const db = new Sqlite(':memory:');
    const statement = Object.getPrototypeOf(db.prepare('select 1'));
    db.close();
    for (const method of ['run', 'get', 'all']) {
      this.#wrap(statement, method, ({ source, reader }, args, result) => {
        work.statements += 1;
        if (source.startsWith('BEGIN')) work.transactions += 1;
        if (reader) return;
        work.rows += (result as Sqlite.RunResult).changes;
        for (const arg of args) if (typeof arg === 'string') work['row bytes'] += Buffer.byteLength(arg);
      });
    }
    const timers = new Set<number>();
    const hook = createHook({
      init(id, type) {
        const name = counted[type];
        if (name) work[name] += 1;
        if (name === 'setTimeout') timers.add(id);
      },
      before(id) {
        if (timers.delete(id)) work['timers run'] += 1;
      },
    }).enable();
    this.#undo.push(() => hook.disable());
  }

  /** Notes the work done so far. */
  mark(): void {
    this.#marks.push({ ...this.#work });
  }

  /** Ends the counting. @returns what was noted at each mark */
  stop(): readonly Work[] {
    for (const undo of this.#undo) undo();
    return this.#marks;
  }

  #wrap<Target extends object>(
    target: Target,
    name: string,
    count: (self: Sqlite.Statement, args: readonly unknown[], result: unknown) => void,
  ): void {
    const original = Reflect.get(target, name) as Call;
    const own = Object.getOwnPropertyDescriptor(target, name);
    const wrapped = function (this: Sqlite.Statement, ...args: unknown[]) {
      const result = original.apply(this, args);
      count(this, args, result);
      return result;
    };
    Object.defineProperty(target, name, { value: wrapped, configurable: true, writable: true });
    this.#undo.push(() => (own ? Object.defineProperty(target, name, own) : Reflect.deleteProperty(target, name)));
  }
}

/** Counts the unmasked frames in one write; each write holds whole frames. */
function countFrames(bytes: Buffer): number {
  let frames = 0;
  for (let at = 0; at < bytes.length; frames += 1) {
    const short = bytes[at + 1] as number;
    if (short < 126) at += 2 + short;
    else if (short === 126) at += 4 + bytes.readUInt16BE(at + 2);
    else at += 10 + Number(bytes.readBigUInt64BE(at + 2));
  }
  return frames;
}
