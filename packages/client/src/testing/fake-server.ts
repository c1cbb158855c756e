import {
  type ChatEvent,
  type ClientFrame,
  type Command,
  closeCodes,
  type Decision,
  decide,
  emptyHead,
  type Facts,
  type Head,
  type NewEvent,
  type PastPrompt,
  RefusalError,
  reduceHead,
  type ServerFrame,
  type Session,
  type StreamPart,
  statusOf,
} from '@parleyhq/core';
import type { Pipe } from '../transports/direct.ts';

type SessionFrame = Extract<ClientFrame, { sessionId: string }>;

interface Line {
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

const plan = () => ({ turnId: `turn-${counter++}`, agent: 'fake', owner: 'fake' });
let counter = 1;

/**
 * A server in memory for tests: the core's laws, no tools, no agent and no disk. What tools and agents would do, the
 * test appends.
 */
export class FakeServer {
  epoch = 'epoch-1';
  /** Every frame that came in. */
  readonly received: ClientFrame[] = [];
  /** False: frames are taken and not answered. */
  isAnswering = true;
  /** Told after an accepted answer, as a hook would be. */
  onResponse: ((event: ChatEvent<'interaction_response'>) => void) | undefined;
  /** Refuses a frame instead of what the laws say. */
  refuse: ((frame: ClientFrame) => RefusalError | undefined) | undefined;
  now: () => number = Date.now;
  readonly #sessions = new Map<string, FakeSession>();
  readonly #lines = new Set<Line>();

  /** A new line to this server, for `connectDirect`. */
  readonly openPipe = (): Pipe => {
    const line: Line = {
      connectionId: `connection-${counter++}`,
      clientId: '',
      label: undefined,
      isEnabled: false,
      subscriptions: new Set(),
      pipe: {
        send: (text) => this.#receive(line, JSON.parse(text) as ClientFrame),
        close: () => this.#lines.delete(line),
        onmessage: null,
        onclose: null,
      },
    };
    this.#lines.add(line);
    return line.pipe;
  };

  get lineCount(): number {
    return this.#lines.size;
  }

  addSession(id: string, title = 'Session'): Session {
    const at = new Date(this.now()).toISOString();
    const base = { id, title, agent: 'fake', permissionMode: 'default', openCount: 0, createdAt: at, updatedAt: at };
    const session: Session = { ...base, status: 'idle', seq: 0 };
    this.#sessions.set(id, { log: [], head: emptyHead, session, streams: [] });
    this.#tellAll({ type: 'session_created', session });
    return session;
  }

  log(sessionId: string): readonly ChatEvent[] {
    return this.#get(sessionId).log;
  }

  head(sessionId: string): Head {
    return this.#get(sessionId).head;
  }

  /** Appends and tells who listens. */
  append(sessionId: string, ...events: NewEvent[]): readonly ChatEvent[] {
    const known = this.#get(sessionId);
    const placed = events.map((event, n) => this.#place(sessionId, known.log.length + n + 1, event));
    for (const event of placed) {
      known.log.push(event);
      known.head = reduceHead(known.head, event);
      if (event.type !== 'user_message') known.streams = [];
      this.#tellSession(sessionId, { type: 'chat_event', sessionId, event });
    }
    this.#update(known, placed);
    return placed;
  }

  stream(sessionId: string, part: StreamPart): void {
    this.#get(sessionId).streams.push(part);
    this.#tellSession(sessionId, { ...part, type: 'stream', sessionId });
  }

  /** Runs a command as the server itself would. */
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

  /** Breaks every line. */
  drop(code: number = closeCodes.restart): void {
    for (const line of [...this.#lines]) {
      this.#lines.delete(line);
      line.pipe.onclose?.(code, '');
    }
  }

  tellAll(frame: ServerFrame): void {
    this.#tellAll(frame);
  }

  #receive(line: Line, frame: ClientFrame): void {
    this.received.push(frame);
    if (!this.isAnswering) return;
    if (frame.type === 'hello') this.#greet(line, frame);
    else if (frame.type === 'ping') this.#tell(line, { type: 'pong', now: new Date(this.now()).toISOString() });
    else this.#reply(line, frame);
  }

  #reply(line: Line, frame: Exclude<ClientFrame, { type: 'hello' | 'ping' }>): void {
    const { requestId = '' } = frame;
    try {
      const refusal = this.refuse?.(frame);
      if (refusal) throw refusal;
      const [result, after] = this.#serve(line, frame);
      this.#tell(line, { type: 'reply', requestId, ok: true, result });
      after?.();
    } catch (error) {
      if (!(error instanceof RefusalError)) throw error;
      this.#tell(line, { type: 'reply', requestId, ok: false, error: error.toWire() });
    }
  }

  #greet(line: Line, hello: Extract<ClientFrame, { type: 'hello' }>): void {
    line.clientId = hello.clientId ?? line.connectionId;
    line.label = hello.label;
    line.isEnabled = hello.interaction?.enabled ?? false;
    const all = [...this.#sessions.values()];
    this.#tell(line, {
      type: 'welcome',
      protocol: 1,
      connectionId: line.connectionId,
      epoch: this.epoch,
      now: new Date(this.now()).toISOString(),
      server: { name: 'fake', version: '0' },
      principal: { id: 'owner', role: 'operator' },
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
      limits: {},
    });
  }

  #serve(line: Line, frame: Exclude<ClientFrame, { type: 'hello' | 'ping' }>): [result?: unknown, after?: () => void] {
    switch (frame.type) {
      case 'create_session':
        return [{ session: this.addSession(`session-${counter++}`, frame.title ?? 'New session') }];
      case 'set_interaction_mode':
        line.isEnabled = frame.enabled;
        return [];
      case 'list_sessions':
      case 'list_grants':
      case 'revoke_grant':
        return [{ sessions: [], grants: [] }];
      default:
        return this.#serveSession(line, frame);
    }
  }

  #serveSession(line: Line, frame: SessionFrame): [result?: unknown, after?: () => void] {
    const { sessionId } = frame;
    const known = this.#sessions.get(sessionId);
    if (!known) throw new RefusalError('not_found');
    switch (frame.type) {
      case 'subscribe':
        return [{}, () => this.#subscribe(line, frame)];
      case 'unsubscribe':
        line.subscriptions.delete(sessionId);
        return [];
      case 'read_events': {
        const events = known.log.slice(Math.max(0, frame.before - 1 - frame.limit), frame.before - 1);
        return [{ events }];
      }
      case 'update_session':
        known.session = { ...known.session, title: frame.title ?? known.session.title };
        return [{}, () => this.#tellAll({ type: 'session_updated', session: known.session })];
      case 'delete_session':
        this.#sessions.delete(sessionId);
        return [{}, () => this.#tellAll({ type: 'session_deleted', session: known.session })];
      case 'draft':
        for (const other of this.#lines) {
          if (other !== line && other.subscriptions.has(sessionId)) this.#tell(other, frame as ServerFrame);
        }
        return [];
      default:
        return this.#command(line, known, frame);
    }
  }

  #command(line: Line, known: FakeSession, frame: SessionFrame): [result?: unknown, after?: () => void] {
    const at = known.log.length + 1;
    const decision = decide(known.head, this.#toCommand(line, known, frame), this.#facts);
    if (decision.kind === 'refused') throw decision.refusal;
    if (decision.kind === 'repeated') return [{ seq: decision.seq }];
    const after = () => {
      for (const event of this.append(known.session.id, ...decision.events)) {
        if (event.type === 'interaction_response') this.onResponse?.(event);
      }
    };
    return [{ seq: at }, after];
  }

  #toCommand(line: Line, known: FakeSession, frame: SessionFrame): Command {
    const { clientId, connectionId, label } = line;
    const by = { clientId, connectionId, principal: 'owner', ...(label && { label }), transport: 'direct' };
    switch (frame.type) {
      case 'user_message': {
        const { messageId, text } = frame;
        return { type: 'send', message: { messageId, text, origin: 'user', from: by } };
      }
      case 'edit_queued':
        return { type: 'edit_queued', messageId: frame.messageId, text: frame.text };
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
          principal: { id: 'owner', role: 'operator' },
          isEnabled: line.isEnabled,
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

  #subscribe(line: Line, frame: Extract<ClientFrame, { type: 'subscribe' }>): void {
    const { sessionId, cursor, tail } = frame;
    const { log, head, session, streams } = this.#get(sessionId);
    const { epoch } = this;
    const isReset = cursor !== undefined && (cursor.epoch !== epoch || cursor.seq > log.length);
    line.subscriptions.add(sessionId);
    if (isReset) this.#tell(line, { type: 'reset', sessionId, epoch });
    this.#tell(line, { type: 'snapshot', sessionId, epoch, seq: log.length, session, head, streams });
    const from = isReset ? 0 : (cursor?.seq ?? Math.max(0, log.length - (tail ?? log.length)));
    const open = new Set(head.prompts.map((prompt) => prompt.seq));
    const older = cursor ? [] : log.filter((event) => event.seq <= from && open.has(event.seq));
    const events = [...older, ...log.slice(from)];
    for (let start = 0; start < events.length; start += 50) {
      this.#tell(line, { type: 'chat_events', sessionId, events: events.slice(start, start + 50) });
    }
    this.#tell(line, { type: 'live', sessionId, seq: log.length });
  }

  #place(sessionId: string, seq: number, event: NewEvent): ChatEvent {
    const timestamp = new Date(this.now()).toISOString();
    return { ...event, seq, id: `${sessionId}-${seq}`, sessionId, timestamp, v: 1 } as ChatEvent;
  }

  #update(known: FakeSession, events: readonly ChatEvent[]): void {
    const { head, session } = known;
    const updatedAt = events.at(-1)?.timestamp ?? session.updatedAt;
    const openCount = head.prompts.length;
    known.session = { ...session, status: statusOf(head), openCount, updatedAt, seq: head.seq };
    this.#tellAll({ type: 'session_updated', session: known.session });
    for (const event of events) this.#tellInbox(session.id, event);
  }

  #tellInbox(sessionId: string, event: ChatEvent): void {
    for (const line of this.#lines) {
      if (line.subscriptions.has(sessionId)) continue;
      if (event.type === 'interaction_request') {
        this.#tell(line, { type: 'interaction_opened', sessionId, interaction: event.payload });
      } else if (event.type === 'interaction_response' || event.type === 'interaction_closed') {
        const status = event.type === 'interaction_response' ? 'answered' : event.payload.reason;
        this.#tell(line, {
          type: 'interaction_settled',
          sessionId,
          interactionId: event.payload.interactionId,
          status,
        });
      }
    }
  }

  #get(sessionId: string): FakeSession {
    const known = this.#sessions.get(sessionId);
    if (!known) throw new Error(`no session ${sessionId}`);
    return known;
  }

  #tellSession(sessionId: string, frame: ServerFrame): void {
    for (const line of this.#lines) if (line.subscriptions.has(sessionId)) this.#tell(line, frame);
  }

  #tellAll(frame: ServerFrame): void {
    for (const line of this.#lines) this.#tell(line, frame);
  }

  #tell(line: Line, frame: ServerFrame): void {
    const text = JSON.stringify(frame);
    queueMicrotask(() => line.pipe.onmessage?.(text));
  }
}
