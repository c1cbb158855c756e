import {
  type ClientId,
  closeCodes,
  type Grant,
  type Head,
  type InboxEntry,
  type PermissionMode,
  RefusalError,
  type ServerFrame,
  type ServerFrameOf,
  type Session,
  type SessionId,
} from '@parleyhq/core';
import { Connection, type ConnectionOptions, type ConnectionState } from './connection.ts';
import {
  addSessions,
  type Directory,
  emptyDirectory,
  foldDirectory,
  type Presence,
  placePrompts,
} from './directory.ts';
import { makeId } from './id.ts';
import type { TabStorage } from './kept-answers.ts';
import { Listeners } from './listeners.ts';
import { ConnectionLostError, Outbox, type Request } from './outbox.ts';
import { SessionClient } from './session-client.ts';
import type { Transport } from './transport.ts';

export interface ClientOptions extends ConnectionOptions {
  readonly transport: Transport;
  /** One per tab (contract §1); a fresh one by default. */
  readonly clientId?: ClientId;
  readonly token?: string;
  /** Names this device to people elsewhere. */
  readonly label?: string;
  /** Whether prompts may be answered here, to begin with. */
  readonly isInteractive?: boolean;
  /** Where answers wait that nobody has acknowledged, also over a reload; by default in memory. */
  readonly storage?: TabStorage;
}

/** Everything of a client but the sessions it looks into. A new value with each change. */
export interface ClientState {
  readonly connection: ConnectionState;
  /** Why the line ended, if it did. */
  readonly closeCode: number | undefined;
  /** What the server last said was wrong with this connection, in words. */
  readonly complaint: string | undefined;
  readonly isInteractive: boolean;
  readonly welcome: ServerFrameOf<'welcome'> | undefined;
  readonly sessions: readonly Session[];
  readonly inbox: readonly InboxEntry[];
  readonly presence: ReadonlyMap<SessionId, Presence>;
}

type Connecting = Pick<ClientState, 'connection' | 'closeCode' | 'complaint' | 'isInteractive'>;

/** A headless client: one connection, the list of sessions, the inbox, and any number of sessions looked into. */
export class ParleyClient {
  readonly clientId: ClientId;
  readonly #options: ClientOptions;
  readonly #connection: Connection;
  readonly #outbox: Outbox;
  readonly #sessions = new Map<SessionId, SessionClient>();
  readonly #listeners = new Listeners();
  readonly #grantListeners = new Listeners();
  #directory: Directory = emptyDirectory;
  #connecting: Connecting;
  #state: ClientState;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.clientId = options.clientId ?? makeId();
    this.#connecting = {
      connection: 'stopped',
      closeCode: undefined,
      complaint: undefined,
      isInteractive: options.isInteractive ?? true,
    };
    this.#state = { ...this.#connecting, ...this.#directory };
    this.#connection = new Connection(
      options.transport,
      {
        hello: () => this.#hello(),
        onFrame: (frame) => this.#receive(frame),
        onState: (state, code) => this.#setConnection(state, code),
      },
      options,
    );
    this.#outbox = new Outbox((frame) => this.#connection.send(frame));
  }

  get state(): ClientState {
    return this.#state;
  }

  /** Told after each change of `state`. Returns how to stop. */
  subscribe(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  /** The server's time, in milliseconds. */
  now(): number {
    return this.#connection.now();
  }

  start(): void {
    this.#connection.start();
  }

  stop(): void {
    this.#connection.stop();
    this.#outbox.fail(new ConnectionLostError());
  }

  reconnectNow(): void {
    this.#connection.reconnectNow();
  }

  /**
   * The result of the reply. What may safely be repeated waits for the line and survives its loss.
   * @throws RefusalError the server refused
   * @throws ConnectionLostError the line is down and the request cannot safely be repeated
   */
  request(frame: Request): Promise<unknown> {
    return this.#outbox.request(frame);
  }

  /** Told now or never: lost without a trace where the line is down. */
  tell(frame: Request): void {
    this.#connection.send(frame);
  }

  /** The session, looked into until it is closed as often as it was opened. */
  open(sessionId: SessionId): SessionClient {
    const known = this.#sessions.get(sessionId);
    if (known) return known.retain();
    const owner = {
      onHead: (head: Head) => this.#setDirectory(placePrompts(this.#directory, sessionId, head.prompts)),
      onClose: () => this.#close(sessionId),
    };
    const session = new SessionClient(this, sessionId, owner, this.#options.storage);
    this.#sessions.set(sessionId, session);
    if (this.#connection.state === 'open') session.resume();
    return session;
  }

  async createSession(options: { title?: string; agent?: string } = {}): Promise<Session> {
    const { session } = (await this.request({ type: 'create_session', ...options })) as { session: Session };
    this.#setDirectory({ ...this.#directory, sessions: addSessions(this.#directory.sessions, [session]) });
    return session;
  }

  async renameSession(sessionId: SessionId, title: string): Promise<void> {
    await this.request({ type: 'update_session', sessionId, title });
  }

  async deleteSession(sessionId: SessionId): Promise<void> {
    await this.request({ type: 'delete_session', sessionId });
  }

  /** Older sessions than those that are listed; how many came. */
  async loadMoreSessions(limit = 100): Promise<number> {
    const before = this.#directory.sessions.at(-1)?.updatedAt;
    const request: Request = { type: 'list_sessions', limit, ...(before !== undefined && { before }) };
    const { sessions } = (await this.request(request)) as { sessions: Session[] };
    this.#setDirectory({ ...this.#directory, sessions: addSessions(this.#directory.sessions, sessions) });
    return sessions.length;
  }

  /** What is allowed for longer than once, oldest first: all, or what holds in a session; the newest `limit` of it. */
  async listGrants(filter: { sessionId?: SessionId; limit?: number } = {}): Promise<readonly Grant[]> {
    const { grants = [] } = (await this.request({ type: 'list_grants', ...filter })) as { grants?: Grant[] };
    return grants;
  }

  async revokeGrant(grantId: string): Promise<void> {
    await this.request({ type: 'revoke_grant', grantId });
  }

  /** Told when `listGrants` may say something else than before. Returns how to stop. */
  onGrantsChange(listener: () => void): () => void {
    return this.#grantListeners.add(listener);
  }

  /** Which calls of the session are asked about from now on (APR3). */
  async setPermissionMode(sessionId: SessionId, permissionMode: PermissionMode): Promise<void> {
    await this.request({ type: 'update_session', sessionId, permissionMode });
  }

  /** Whether prompts may be answered here (INT15). Said again with each hello. */
  async setInteractionEnabled(isInteractive: boolean): Promise<void> {
    this.#connecting = { ...this.#connecting, isInteractive };
    this.#publish();
    await this.request({ type: 'set_interaction_mode', enabled: isInteractive });
  }

  #hello() {
    const { token, label } = this.#options;
    return {
      clientId: this.clientId,
      ...(token !== undefined && { token }),
      ...(label !== undefined && { label }),
      interaction: { supported: true, enabled: this.#connecting.isInteractive },
    };
  }

  #receive(frame: ServerFrame): void {
    if (frame.type === 'reply') {
      this.#outbox.receive(frame);
      return;
    }
    if (frame.type === 'error') this.#connecting = { ...this.#connecting, complaint: frame.message };
    if (frame.type === 'welcome') this.#connecting = { ...this.#connecting, complaint: undefined };
    this.#setDirectory(foldDirectory(this.#directory, frame));
    if (frame.type === 'welcome' || frame.type === 'grants_changed') this.#grantListeners.tell();
    if (frame.type === 'welcome') {
      this.#outbox.flush();
      for (const session of this.#sessions.values()) session.resume();
    }
    const sessionId = sessionOf(frame);
    if (sessionId !== undefined) this.#sessions.get(sessionId)?.receive(frame);
  }

  #setConnection(connection: ConnectionState, closeCode: number | undefined): void {
    this.#connecting = { ...this.#connecting, connection, closeCode };
    if (connection === 'reconnecting') {
      for (const session of this.#sessions.values()) session.lose();
      this.#outbox.lose();
    }
    if (connection === 'refused') {
      const code = closeCode === closeCodes.upgradeRequired ? 'unsupported_protocol' : 'unauthorised';
      this.#outbox.fail(new RefusalError(code));
    }
    this.#publish();
  }

  #close(sessionId: SessionId): void {
    this.#sessions.delete(sessionId);
    this.tell({ type: 'unsubscribe', sessionId });
  }

  #setDirectory(directory: Directory): void {
    if (directory === this.#directory && this.#state.complaint === this.#connecting.complaint) return;
    this.#directory = directory;
    this.#publish();
  }

  #publish(): void {
    this.#state = { ...this.#connecting, ...this.#directory };
    this.#listeners.tell();
  }
}

function sessionOf(frame: ServerFrame): SessionId | undefined {
  if ('sessionId' in frame) return frame.sessionId as SessionId;
  return 'session' in frame ? (frame.session as Session).id : undefined;
}
