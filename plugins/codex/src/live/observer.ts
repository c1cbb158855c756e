import { canonicalise, isRecord, type Json } from '@parleyhq/core';
import type { Asked } from '@parleyhq/door-kit';
import { type Change, readChanges } from './changes.ts';
import { type Question, readQuestion } from './question.ts';
import { oneLine } from './words.ts';

type Members = Readonly<Record<string, unknown>>;
type Id = string | number;

/** A question, and the session of Codex that asks it. */
export interface Asking {
  readonly thread: string;
  readonly cwd: string | undefined;
  readonly question: Question;
}

/** The neighbours of the observer. */
export interface Surroundings {
  ask(asking: Asking): Asked;
  /** Shows a line to the person at the terminal. */
  report(words: string): void;
  /** Calls back after a pause, which is longer the more attempts there were. */
  later(attempt: number, act: () => void): void;
}

type Send = (message: object) => void;

/** A request of Codex that no side is known to have answered. */
interface Open {
  readonly id: Id;
  readonly thread: string;
  readonly turn: unknown;
  readonly item: unknown;
  readonly method: string;
  readonly params: Members;
  readonly asked: Asked;
  /** The changes of files that people were shown. */
  readonly changes: readonly Change[] | undefined;
  /** Whether Codex has asked or repeated it on this connection. */
  isReceived: boolean;
  /** What people answered. */
  result?: object;
  /** Whether people have answered, or will not. */
  isDecided: boolean;
  /** What sent the result, on the last connection that did. */
  sentBy?: Send;
}

interface Thread {
  cwd: string | undefined;
  state: 'unknown' | 'asking' | 'followed';
  /** Whether something in it waits for a person. */
  isWaiting: boolean;
  attempts: number;
  readonly changes: Map<string, readonly Change[]>;
}

/** Notes for people, with which cards close. */
const notes = {
  resolved: 'Answered in the terminal',
  turn: 'The turn is over.',
  closed: 'The session was closed.',
  left: 'Codex no longer waits.',
  changed: 'The change is another one now.',
} as const;

/**
 * Follows the sessions of an app server as one of its clients (ACP5). What Codex asks is asked of people; the first answer counts.
 * Codex takes any answer of a client as the answer, an error as well: so nothing is ever sent but what a person chose, for a request
 * that this connection has received and that is still open.
 */
export class CodexObserver {
  readonly #around: Surroundings;
  readonly #open = new Map<string, Open>();
  readonly #threads = new Map<string, Thread>();
  readonly #pending = new Map<string, (result: unknown, error: unknown) => void>();
  readonly #reported = new Set<string>();
  #send: Send | undefined;
  #requests = 0;

  constructor(around: Surroundings) {
    this.#around = around;
  }

  /**
   * A connection is open.
   * @param version - of Parley
   * @param onAttached - called once Codex has accepted it
   */
  opened(send: Send, version: string, onAttached: () => void): void {
    this.#send = send;
    const clientInfo = { name: 'parley', title: 'Parley', version };
    this.#request('initialize', { clientInfo, capabilities: { experimentalApi: true } }, (_, error) => {
      if (error === undefined) {
        send({ method: 'initialized' });
        onAttached();
        this.#list(new Set());
      } else this.#report(`Codex refused the connection: ${messageOf(error)}`);
    });
  }

  /** The connection has closed: what is open waits for Codex to repeat it. */
  closed(): void {
    this.#send = undefined;
    this.#pending.clear();
    this.#threads.clear();
    for (const open of this.#open.values()) open.isReceived = false;
  }

  /** Nothing waits any more. @param note - why, for people */
  end(note: string): void {
    for (const key of [...this.#open.keys()]) this.#close(key, note);
  }

  /** Takes a message of Codex. One that is not understood is left alone. */
  take(message: unknown): void {
    try {
      if (isRecord(message)) this.#take(message);
    } catch (error) {
      this.#report(`A message of Codex could not be read: ${error instanceof Error ? error.message : error}`);
    }
  }

  #take(message: Members): void {
    const { id, method, params, result, error } = message;
    const isId = typeof id === 'string' || Number.isSafeInteger(id);
    if (typeof method !== 'string') this.#pending.get(String(id))?.(result, error);
    else if (id === undefined) this.#note(method, isRecord(params) ? params : {});
    else if (isId && isRecord(params)) this.#receive(id as Id, method, params);
  }

  /** Sends a request of our own; its response is read at once, before what follows it. */
  #request(method: string, params: object, read: (result: unknown, error: unknown) => void): void {
    this.#requests += 1;
    const id = `parley-${this.#requests}`;
    this.#pending.set(id, (result, error) => {
      this.#pending.delete(id);
      read(result, error);
    });
    this.#send?.({ id, method, params });
  }

  /** Follows all sessions that are loaded; what was asked in others is over. */
  #list(known: Set<string>, cursor?: string, attempt = 0): void {
    this.#request('thread/loaded/list', cursor === undefined ? {} : { cursor }, (result, error) => {
      if (error !== undefined) {
        this.#report(`Codex does not list its sessions: ${messageOf(error)}`);
        this.#retry(attempt, () => this.#list(known, cursor, attempt + 1));
        return;
      }
      const { data, nextCursor } = isRecord(result) ? result : {};
      for (const id of Array.isArray(data) ? data : []) {
        if (typeof id !== 'string') continue;
        known.add(id);
        this.#follow(id);
      }
      if (typeof nextCursor === 'string') this.#list(known, nextCursor);
      else this.#closeAll(({ thread, isReceived }) => !isReceived && !known.has(thread), notes.left);
    });
  }

  /** Subscribes to a session. One that was never used cannot be followed before its first turn. */
  #follow(id: string): void {
    const thread = this.#threadOf(id);
    if (thread.state !== 'unknown') return;
    thread.state = 'asking';
    this.#request('thread/resume', { threadId: id }, (result, error) => {
      if (this.#threads.get(id) !== thread) return;
      if (error === undefined) this.#joined(id, thread, isRecord(result) ? result.thread : undefined);
      else this.#followAgain(id, thread, error);
    });
  }

  #followAgain(id: string, thread: Thread, error: unknown): void {
    thread.state = 'unknown';
    if (!thread.isWaiting) return;
    this.#report(`A session of Codex cannot be followed: ${messageOf(error)}`);
    thread.attempts += 1;
    this.#retry(thread.attempts, () => {
      if (this.#threads.get(id) === thread && thread.isWaiting) this.#follow(id);
    });
  }

  /** Codex repeats what is still open after this; the rest was answered meanwhile. */
  #joined(id: string, thread: Thread, joined: unknown): void {
    const { cwd, status, turns } = isRecord(joined) ? joined : {};
    thread.state = 'followed';
    thread.attempts = 0;
    if (typeof cwd === 'string') thread.cwd = cwd;
    thread.isWaiting = isWaiting(status);
    const running = (Array.isArray(turns) ? turns : []).filter(
      (turn) => isRecord(turn) && turn.status === 'inProgress',
    );
    const items: unknown[] = running.flatMap(({ items }) => (Array.isArray(items) ? items : []));
    for (const item of items) this.#noteItem(id, item);
    const isOver = ({ thread: of, turn, item, isReceived }: Open) =>
      of === id &&
      !isReceived &&
      (!thread.isWaiting ||
        (typeof turn === 'string' && !running.some((each) => each.id === turn)) ||
        items.some((each) => isRecord(each) && each.id === item && isFinal(each.status)));
    this.#closeAll(isOver, notes.left);
  }

  #note(method: string, params: Members): void {
    const { threadId: thread, turnId: turn, item } = params;
    switch (method) {
      case 'thread/started':
        this.#noteThread(params.thread);
        break;
      case 'thread/status/changed':
        this.#noteStatus(String(thread), params.status);
        break;
      case 'thread/closed':
      case 'thread/deleted':
        this.#forget(String(thread));
        break;
      case 'serverRequest/resolved':
        this.#closeAll((open) => open.thread === thread && open.id === params.requestId, notes.resolved);
        break;
      case 'turn/completed':
        this.#endTurn(String(thread), idOf(params.turn) ?? turn);
        break;
      case 'item/started':
        this.#noteItem(String(thread), item);
        break;
      case 'item/fileChange/patchUpdated':
        this.#noteItem(String(thread), { ...params, type: 'fileChange', id: params.itemId });
        break;
      case 'item/completed':
        this.#closeAll((open) => open.thread === thread && isSame(open.item, idOf(item)), notes.left);
        break;
      default: // what else happens asks nothing
    }
  }

  #forget(thread: string): void {
    this.#threads.delete(thread);
    this.#closeAll((open) => open.thread === thread, notes.closed);
  }

  #endTurn(thread: string, turn: unknown): void {
    this.#threadOf(thread).changes.clear();
    this.#closeAll((open) => open.thread === thread && isSame(open.turn, turn), notes.turn);
  }

  #noteThread(thread: unknown): void {
    const { id, cwd, status } = isRecord(thread) ? thread : {};
    if (typeof id !== 'string') return;
    if (typeof cwd === 'string') this.#threadOf(id).cwd = cwd;
    this.#noteStatus(id, status);
  }

  /** Only an active session is joined: to resume one that is not loaded would load it. */
  #noteStatus(id: string, status: unknown): void {
    const { type } = isRecord(status) ? status : {};
    if (type === 'notLoaded') this.#forget(id);
    else this.#threadOf(id).isWaiting = isWaiting(status);
    if (type === 'active') this.#follow(id);
  }

  /** Remembers the changes of an item. If they are other ones than people were shown, people are asked anew. */
  #noteItem(threadId: string, item: unknown): void {
    if (!isRecord(item) || item.type !== 'fileChange' || typeof item.id !== 'string') return;
    const { changes } = this.#threadOf(threadId);
    const known = readChanges(item);
    if (known) changes.set(item.id, known);
    else changes.delete(item.id);
    for (const [key, open] of [...this.#open]) {
      if (open.thread !== threadId || open.item !== item.id || this.#isSent(open)) continue;
      if (canonicalise((open.changes ?? null) as Json) === canonicalise((known ?? null) as Json)) continue;
      this.#close(key, notes.changed);
      if (open.isReceived) this.#receive(open.id, open.method, open.params);
    }
  }

  /** Codex asks, or repeats what it has asked. */
  #receive(id: Id, method: string, params: Members): void {
    const key = canonicalise([id, method, params] as Json);
    const known = this.#open.get(key);
    if (known) {
      known.isReceived = true;
      this.#deliver(known);
      return;
    }
    this.#closeAll((open) => open.isReceived && open.id === id, notes.left);
    const { threadId: thread, turnId: turn, itemId, approvalId } = params;
    const item = approvalId == null ? itemId : undefined; // otherwise the request may outlive the item
    const { cwd, changes: all } = this.#threadOf(String(thread));
    const changes = all.get(String(itemId));
    const question = readQuestion(method, params, changes);
    if (typeof thread !== 'string' || !question) {
      this.#report(`Left to Codex’s terminal, because people cannot be shown it here: ${method}`);
      return;
    }
    const asked = this.#around.ask({ thread, cwd: typeof params.cwd === 'string' ? params.cwd : cwd, question });
    const open: Open = {
      ...{ id, thread, turn, item, method, params, asked, changes },
      ...{ isReceived: true, isDecided: false },
    };
    this.#open.set(key, open);
    void asked.answer.then((answer) => {
      if (this.#open.get(key) !== open) return;
      open.isDecided = true;
      const result = answer && question.read(answer);
      if (result) open.result = result; // otherwise the terminal decides
      this.#deliver(open);
    });
  }

  /** Sends what people answered, once on a connection. */
  #deliver(open: Open): void {
    const { id, isReceived, result } = open;
    if (!isReceived || !result || !this.#send || this.#isSent(open)) return;
    open.sentBy = this.#send;
    this.#send({ id, result });
  }

  #isSent({ sentBy }: Open): boolean {
    return sentBy !== undefined && sentBy === this.#send;
  }

  #closeAll(isOver: (open: Open) => boolean, note: string): void {
    for (const [key, open] of [...this.#open]) if (isOver(open)) this.#close(key, note);
  }

  /** Withdraws a question that nobody has answered, or with an answer that was never sent: it came too late. */
  #close(key: string, note: string): void {
    const open = this.#open.get(key);
    this.#open.delete(key);
    if (open && !open.sentBy && (open.result || !open.isDecided)) open.asked.withdraw(note);
  }

  #threadOf(id: string): Thread {
    const known = this.#threads.get(id) ?? {
      cwd: undefined,
      state: 'unknown',
      isWaiting: false,
      attempts: 0,
      changes: new Map<string, readonly Change[]>(),
    };
    this.#threads.set(id, known);
    return known;
  }

  /** Does something later, if this connection is still open then. */
  #retry(attempt: number, act: () => void): void {
    const send = this.#send;
    this.#around.later(attempt, () => {
      if (this.#send === send) act();
    });
  }

  /** Reports each reason once. */
  #report(words: string): void {
    if (this.#reported.has(words)) return;
    this.#reported.add(words);
    this.#around.report(`${oneLine(words)}\n`);
  }
}

function isWaiting(status: unknown): boolean {
  return isRecord(status) && Array.isArray(status.activeFlags) && status.activeFlags.length > 0;
}

function idOf(value: unknown): unknown {
  return isRecord(value) ? value.id : undefined;
}

/** Whether two ids are the same one. */
function isSame(one: unknown, other: unknown): boolean {
  return typeof one === 'string' && one === other;
}

function isFinal(status: unknown): boolean {
  return status === 'completed' || status === 'failed' || status === 'declined';
}

function messageOf(error: unknown): string {
  return isRecord(error) ? String(error.message) : String(error);
}
