import {
  type ChatEvent,
  type ClientFrame,
  type Command,
  closeCodes,
  type Decision,
  decide,
  emptyHead,
  type Facts,
  type Grant,
  type Head,
  type NewEvent,
  type PastPrompt,
  type Principal,
  RefusalError,
  reduceHead,
  type ServerFrame,
  type Session,
  type StreamPart,
  statusOf,
} from '@parleyhq/core';
import type { Pipe } from '../transports/direct.ts';
import { toInboxFrame } from './inbox-frame.ts';

type SessionFrame = Exclude<Extract<ClientFrame, { sessionId: string }>, { type: 'withdraw_call' }>;

interface FakeConnection {
  readonly pipe: Pipe;
  readonly connectionId: string;
  clientId: string;
  label: string | undefined;
  isEnabled: boolean;
  readonly subscriptions: Set<string>;
}

interface FakeSession {
  readonly log: ChatEvent[];
  head: Head;
  session: Session;
  streams: StreamPart[];
}

const owner: Principal = { id: 'owner', role: 'operator' };

const plan = () => ({ turnId: `turn-${counter++}`, agent: 'fake', owner: 'fake' });
let counter = 1;

/**
 * An in-memory server for tests: the decisions of the core without tools, agents or a store. The test appends their events.
 */
export class FakeServer {
  epoch = 'epoch-1';
  /** The principal of the next login. */
  principal = owner;
  grants: readonly Grant[] = [];
  /** Every frame received. */
  readonly received: ClientFrame[] = [];
  /** While false, frames are received and not answered. */
  isAnswering = true;
  /** Called after an accepted answer, as a hook would be. */
  onResponse: ((event: ChatEvent<'interaction_response'>) => void) | undefined;
  /** Returns a refusal for a frame, before the core decides on it. */
  refuse: ((frame: ClientFrame) => RefusalError | undefined) | undefined;
  now: () => number = Date.now;
  readonly #sessions = new Map<string, FakeSession>();
  readonly #connections = new Set<FakeConnection>();

  /** Opens a new connection, for `connectDirect`. */
  readonly openPipe = (): Pipe => {
    const connection: FakeConnection = {
      connectionId: `connection-${counter++}`,
      clientId: '',
      label: undefined,
      isEnabled: false,
      subscriptions: new Set(),
      pipe: {
        send: (text) => this.#receive(connection, JSON.parse(text) as ClientFrame),
        close: () => this.#connections.delete(connection),
        onmessage: null,
        onclose: null,
      },
    };
    this.#connections.add(connection);
    return connection.pipe;
  };

  get connectionCount(): number {
    return this.#connections.size;
  }

  addSession(id: string, title = 'Session'): Session {
    const at = new Date(this.now()).toISOString();
    const base = { id, title, agent: 'fake', permissionMode: 'default', openCount: 0, createdAt: at, updatedAt: at };
    const session: Session = { ...base, status: 'idle', seq: 0 };
    this.#sessions.set(id, { log: [], head: emptyHead, session, streams: [] });
    this.#sendToAll({ type: 'session_created', session });
    return session;
  }

  /** Changes a session's entry in lists. */
  update(sessionId: string, part: Partial<Session>): void {
    const known = this.#get(sessionId);
    known.session = { ...known.session, ...part };
    this.#sendToAll({ type: 'session_updated', session: known.session });
  }

  hasSession = (sessionId: string): boolean => this.#sessions.has(sessionId);

  log(sessionId: string): readonly ChatEvent[] {
    return this.#get(sessionId).log;
  }

  head(sessionId: string): Head {
    return this.#get(sessionId).head;
  }

  /** Appends events and sends them to subscribers. */
  append(sessionId: string, ...events: NewEvent[]): readonly ChatEvent[] {
    const known = this.#get(sessionId);
    const placed = events.map((event, n) => this.#stamp(sessionId, known.log.length + n + 1, event));
    for (const event of placed) {
      known.log.push(event);
      known.head = reduceHead(known.head, event);
      if (event.type !== 'user_message') known.streams = [];
      this.#sendToSession(sessionId, { type: 'chat_event', sessionId, event });
    }
    this.#update(known, placed);
    return placed;
  }

  stream(sessionId: string, part: StreamPart): void {
    this.#get(sessionId).streams.push(part);
    this.#sendToSession(sessionId, { ...part, type: 'stream', sessionId });
  }

  /** Runs a command as the server would. */
  run(sessionId: string, command: Command): Decision {
    const decision = decide(this.#get(sessionId).head, command, this.#facts);
    if (decision.kind === 'accepted') this.append(sessionId, ...decision.events);
    return decision;
  }

  get #facts(): Facts {
    return {
      now: this.now(),
      matches: (pattern, value) => new RegExp(`^(?:${pattern})$`, 'u').test(value),
      plan: plan(),
    };
  }

  /** Closes every connection. */
  drop(code: number = closeCodes.restart): void {
    for (const connection of [...this.#connections]) {
      this.#connections.delete(connection);
      connection.pipe.onclose?.(code, '');
    }
  }

  sendToAll(frame: ServerFrame): void {
    this.#sendToAll(frame);
  }

  #receive(connection: FakeConnection, frame: ClientFrame): void {
    this.received.push(frame);
    if (!this.isAnswering) return;
    if (frame.type === 'hello') this.#greet(connection, frame);
    else if (frame.type === 'ping') this.#send(connection, { type: 'pong', now: new Date(this.now()).toISOString() });
    else this.#reply(connection, frame);
  }

  #reply(connection: FakeConnection, frame: Exclude<ClientFrame, { type: 'hello' | 'ping' }>): void {
    const { requestId = '' } = frame;
    try {
      const refusal = this.refuse?.(frame);
      if (refusal) throw refusal;
      const [result, after] = this.#serve(connection, frame);
      this.#send(connection, { type: 'reply', requestId, ok: true, result });
      after?.();
    } catch (error) {
      if (!(error instanceof RefusalError)) throw error;
      this.#send(connection, { type: 'reply', requestId, ok: false, error: error.toWire() });
    }
  }

  #greet(connection: FakeConnection, hello: Extract<ClientFrame, { type: 'hello' }>): void {
    connection.clientId = hello.clientId ?? connection.connectionId;
    connection.label = hello.label;
    connection.isEnabled = hello.interaction?.enabled ?? false;
    const all = [...this.#sessions.values()];
    this.#send(connection, {
      type: 'welcome',
      protocol: 1,
      connectionId: connection.connectionId,
      epoch: this.epoch,
      now: new Date(this.now()).toISOString(),
      server: { name: 'fake', version: '0' },
      principal: { ...this.principal },
      agents: [{ name: 'fake' }],
      sessions: all.map(({ session }) => session),
      open: all.flatMap(({ session, head }) =>
        head.prompts
          .filter(({ state }) => state !== 'expired')
          .map(({ request, state }) => ({
            sessionId: session.id,
            interaction: request,
            pending: state === 'pending',
          })),
      ),
      openTotal: all.flatMap(({ head }) => head.prompts.filter(({ state }) => state !== 'expired')).length,
      limits: {},
    });
  }

  #serve(
    connection: FakeConnection,
    frame: Exclude<ClientFrame, { type: 'hello' | 'ping' }>,
  ): [result?: unknown, after?: () => void] {
    switch (frame.type) {
      case 'create_session':
        return [{ session: this.addSession(`session-${counter++}`, frame.title ?? 'New session') }];
      case 'set_interaction_mode':
        connection.isEnabled = frame.enabled;
        return [];
      case 'activity':
        return [];
      case 'list_open':
        return [{ open: [] }];
      case 'list_sessions': {
        const found = [...this.#sessions.values()].map(({ session }) => session);
        return [{ sessions: found.filter(({ title }) => frame.query === undefined || title.includes(frame.query)) }];
      }
      case 'list_grants':
      case 'revoke_grant':
      case 'remove_reviewer':
        return [{ grants: this.grants }];
      case 'call_tool':
      case 'withdraw_call':
        throw new RefusalError('forbidden'); // no page sends them
      default:
        return this.#serveSession(connection, frame);
    }
  }

  #serveSession(connection: FakeConnection, frame: SessionFrame): [result?: unknown, after?: () => void] {
    const { sessionId } = frame;
    const known = this.#sessions.get(sessionId);
    if (!known) throw new RefusalError('not_found');
    switch (frame.type) {
      case 'subscribe':
        return [{}, () => this.#subscribe(connection, frame)];
      case 'unsubscribe':
        connection.subscriptions.delete(sessionId);
        return [];
      case 'read_events': {
        const events = known.log.slice(Math.max(0, frame.before - 1 - frame.limit), frame.before - 1);
        return [{ events }];
      }
      case 'update_session':
        return [{}, () => this.update(sessionId, { title: frame.title ?? known.session.title })];
      case 'delete_session':
        this.#sessions.delete(sessionId);
        return [{}, () => this.#sendToAll({ type: 'session_deleted', session: known.session })];
      case 'draft':
        for (const other of this.#connections) {
          if (other !== connection && other.subscriptions.has(sessionId)) this.#send(other, frame as ServerFrame);
        }
        return [];
      default:
        return this.#command(connection, known, frame);
    }
  }

  #command(
    connection: FakeConnection,
    known: FakeSession,
    frame: SessionFrame,
  ): [result?: unknown, after?: () => void] {
    const at = known.log.length + 1;
    const decision = decide(known.head, this.#toCommand(connection, known, frame), this.#facts);
    if (decision.kind === 'refused') throw decision.refusal;
    if (decision.kind === 'repeated') return [{ seq: decision.seq }];
    const after = () => {
      for (const event of this.append(known.session.id, ...decision.events)) {
        if (event.type === 'interaction_response') this.onResponse?.(event);
      }
    };
    return [{ seq: at }, after];
  }

  #toCommand(connection: FakeConnection, known: FakeSession, frame: SessionFrame): Command {
    const { clientId, connectionId, label } = connection;
    const by = { clientId, connectionId, principal: 'owner', ...(label && { label }), transport: 'direct' };
    switch (frame.type) {
      case 'user_message': {
        const { messageId, text } = frame;
        return { type: 'send', message: { messageId, text, origin: 'user', from: by } };
      }
      case 'edit_queued':
        return { type: 'edit_queued', messageId: frame.messageId, text: frame.text, by, principal: owner };
      case 'remove_queued':
        return { type: 'remove_queued', messageId: frame.messageId };
      case 'cancel_turn':
        return { type: 'cancel', responseId: undefined, streamed: [] };
      case 'tool_interaction_response':
        return {
          type: 'answer',
          callId: frame.callId,
          interactionId: frame.interactionId,
          answerId: frame.answerId ?? '',
          digest: frame.digest,
          answer: frame,
          by,
          principal: owner,
          isEnabled: connection.isEnabled,
          past: this.#findPast(known, frame.interactionId),
        };
      default:
        throw new RefusalError('bad_frame');
    }
  }

  #findPast({ log }: FakeSession, id: string): PastPrompt | undefined {
    const request = log.find((event) => event.type === 'interaction_request' && event.payload.interactionId === id);
    const settlement = log.find(
      (event) =>
        (event.type === 'interaction_response' || event.type === 'interaction_closed') &&
        event.payload.interactionId === id,
    );
    if (request?.type !== 'interaction_request' || !settlement) return undefined;
    return { request: request.payload, settlement: settlement as PastPrompt['settlement'] };
  }

  #subscribe(connection: FakeConnection, frame: Extract<ClientFrame, { type: 'subscribe' }>): void {
    const { sessionId, cursor, tail } = frame;
    const { log, head, session, streams } = this.#get(sessionId);
    const { epoch } = this;
    const isReset = cursor !== undefined && (cursor.epoch !== epoch || cursor.seq > log.length);
    connection.subscriptions.add(sessionId);
    if (isReset) this.#send(connection, { type: 'reset', sessionId, epoch });
    this.#send(connection, { type: 'snapshot', sessionId, epoch, seq: log.length, session, head, streams });
    const from = isReset ? 0 : (cursor?.seq ?? Math.max(0, log.length - (tail ?? log.length)));
    const open = new Set(head.prompts.map((prompt) => prompt.seq));
    const older = cursor ? [] : log.filter((event) => event.seq <= from && open.has(event.seq));
    const events = [...older, ...log.slice(from)];
    for (let start = 0; start < events.length; start += 50) {
      this.#send(connection, { type: 'chat_events', sessionId, events: events.slice(start, start + 50) });
    }
    this.#send(connection, { type: 'live', sessionId, seq: log.length });
  }

  #stamp(sessionId: string, seq: number, event: NewEvent): ChatEvent {
    const timestamp = new Date(this.now()).toISOString();
    return { ...event, seq, id: `${sessionId}-${seq}`, sessionId, timestamp, v: 1 } as ChatEvent;
  }

  #update(known: FakeSession, events: readonly ChatEvent[]): void {
    const { head, session } = known;
    const updatedAt = events.at(-1)?.timestamp ?? session.updatedAt;
    const openCount = head.prompts.length;
    known.session = { ...session, status: statusOf(head), openCount, updatedAt, seq: head.seq };
    this.#sendToAll({ type: 'session_updated', session: known.session });
    for (const event of events) this.#sendInbox(session.id, event);
  }

  #sendInbox(sessionId: string, event: ChatEvent): void {
    const frame = toInboxFrame(sessionId, event);
    for (const connection of this.#connections) {
      if (connection.subscriptions.has(sessionId)) continue;
      if (frame) this.#send(connection, frame);
    }
  }

  #get(sessionId: string): FakeSession {
    const known = this.#sessions.get(sessionId);
    if (!known) throw new Error(`no session ${sessionId}`);
    return known;
  }

  #sendToSession(sessionId: string, frame: ServerFrame): void {
    for (const connection of this.#connections)
      if (connection.subscriptions.has(sessionId)) this.#send(connection, frame);
  }

  #sendToAll(frame: ServerFrame): void {
    for (const connection of this.#connections) this.#send(connection, frame);
  }

  #send(connection: FakeConnection, frame: ServerFrame): void {
    const text = JSON.stringify(frame);
    queueMicrotask(() => connection.pipe.onmessage?.(text));
  }
}
