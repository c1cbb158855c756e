import { EventEmitter, once } from 'node:events';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

type Members = Readonly<Record<string, unknown>>;

interface Thread {
  readonly cwd: string;
  readonly items: object[];
  readonly clients: Set<WebSocket>;
  /** Requests that wait for a client, by id. */
  readonly open: Map<number, Members>;
}

/** An app server of Codex that listens on a real socket, and asks what the test says. */
export class FakeAppServer {
  readonly #path: string | undefined;
  /** What clients sent as answers, also those that came too late. */
  readonly answers: { readonly id: unknown; readonly result?: unknown; readonly error?: unknown }[] = [];
  /** Messages that no app server would understand. */
  readonly faults: unknown[] = [];
  readonly #events = new EventEmitter();
  #server: Server | undefined;
  #sockets: WebSocketServer | undefined;
  #threads = new Map<string, Thread>();
  #ids = 0;

  /** @param path - of its socket; without one, it listens on a port */
  constructor(path?: string) {
    this.#path = path;
  }

  /** Where it listens, for `--socket`. */
  get address(): string {
    const { port } = (this.#server?.address() ?? {}) as AddressInfo;
    return this.#path ?? `ws://127.0.0.1:${port}`;
  }

  async listen(): Promise<void> {
    if (this.#path !== undefined) rmSync(this.#path, { force: true });
    const server = createServer();
    this.#server = server;
    this.#sockets = new WebSocketServer({ server, perMessageDeflate: false });
    this.#sockets.on('connection', (socket) => socket.on('message', (data) => this.#take(socket, String(data))));
    await once(this.#path === undefined ? server.listen(0, '127.0.0.1') : server.listen(this.#path), 'listening');
  }

  /** Ends it as kill -9 would: requests are lost, and the socket's file stays. */
  async kill(): Promise<void> {
    this.dropConnections();
    const server = this.#server;
    await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
    this.#server = undefined;
    this.#threads = new Map();
    this.#ids = 0;
    if (this.#path !== undefined && !existsSync(this.#path)) writeFileSync(this.#path, '');
  }

  /** The connections break, and what was asked still waits. */
  dropConnections(): void {
    for (const socket of this.#sockets?.clients ?? []) socket.terminate();
    for (const { clients } of this.#threads.values()) clients.clear();
  }

  /** Begins a session with a running turn. */
  begin(id: string, cwd = '/projects/shop'): void {
    this.#threads.set(id, { cwd, items: [], clients: new Set(), open: new Map() });
    this.#broadcast({ method: 'thread/started', params: { thread: { id, cwd, status: { type: 'idle' }, turns: [] } } });
  }

  /** A call of the session begins, such as a change of files. */
  startItem(thread: string, item: object): void {
    this.#of(thread).items.push(item);
    this.#publish(thread, { method: 'item/started', params: { threadId: thread, turnId: 'u', item } });
  }

  /** Asks all clients. @returns the id of the request */
  ask(thread: string, method: string, params: object): number {
    const id = this.#ids;
    this.#ids += 1;
    const request = { method, id, params: { threadId: thread, turnId: 'u', startedAtMs: 1, ...params } };
    const { open } = this.#of(thread);
    open.set(id, request);
    this.#status(thread);
    this.#publish(thread, request);
    return id;
  }

  /** Asks for a command. */
  askCommand(thread: string, command: string, more: object = {}): number {
    return this.ask(thread, 'item/commandExecution/requestApproval', {
      kind: 'command',
      itemId: `call-${command}`,
      environmentId: 'local',
      reason: 'It has to run.',
      command,
      cwd: this.#of(thread).cwd,
      availableDecisions: ['accept', 'acceptForSession', 'cancel'],
      ...more,
    });
  }

  /** The terminal answers, or the turn ends: nobody else can. */
  resolve(thread: string, id: number): void {
    if (!this.#of(thread).open.delete(id)) return;
    this.#publish(thread, { method: 'serverRequest/resolved', params: { threadId: thread, requestId: id } });
    this.#status(thread);
  }

  /** Waits for the first answer of a client to a request. */
  async answer(id: number): Promise<unknown> {
    for (;;) {
      const found = this.answers.find((each) => each.id === id);
      if (found) return found.result ?? found;
      await once(this.#events, 'answer');
    }
  }

  /** Waits until a client follows the session. */
  async followed(thread: string): Promise<void> {
    while (this.#of(thread).clients.size === 0) await once(this.#events, 'resume');
  }

  #of(id: string): Thread {
    const thread = this.#threads.get(id);
    if (!thread) throw new Error(`There is no session ${id}.`);
    return thread;
  }

  #take(socket: WebSocket, text: string): void {
    const { jsonrpc, id, method, params, result, error } = JSON.parse(text);
    if (jsonrpc !== undefined) this.faults.push(text);
    if (method === undefined) this.#settle(id, result, error);
    else if (id !== undefined) this.#reply(socket, id, method, params);
    else if (method !== 'initialized') this.faults.push(text);
  }

  #reply(socket: WebSocket, id: unknown, method: string, params: { threadId?: string }): void {
    const send = (message: object) => socket.send(JSON.stringify(message));
    const thread = this.#threads.get(params.threadId ?? '');
    if (method === 'initialize') send({ id, result: { userAgent: 'fake/0.171.0' } });
    else if (method === 'thread/loaded/list')
      send({ id, result: { data: [...this.#threads.keys()], nextCursor: null } });
    else if (method !== 'thread/resume' || !thread) send({ id, error: { code: -32_600, message: 'no rollout found' } });
    else {
      thread.clients.add(socket);
      const turns = [{ id: 'u', status: 'inProgress', items: thread.items }];
      send({ id, result: { thread: { id: params.threadId, cwd: thread.cwd, status: statusOf(thread), turns } } });
      for (const request of thread.open.values()) send(request);
      this.#events.emit('resume');
    }
  }

  /** Any answer of any client counts, an error as well. */
  #settle(id: number, result: unknown, error: unknown): void {
    this.answers.push({ id, result, error });
    for (const [thread, { open }] of this.#threads) if (open.has(id)) this.resolve(thread, id);
    this.#events.emit('answer');
  }

  #status(threadId: string): void {
    this.#broadcast({ method: 'thread/status/changed', params: { threadId, status: statusOf(this.#of(threadId)) } });
  }

  #publish(thread: string, message: object): void {
    for (const socket of this.#of(thread).clients) socket.send(JSON.stringify(message));
  }

  #broadcast(message: object): void {
    for (const socket of this.#sockets?.clients ?? []) socket.send(JSON.stringify(message));
  }
}

function statusOf({ open }: Thread): object {
  return { type: 'active', activeFlags: open.size > 0 ? ['waitingOnApproval'] : [] };
}
