import {
  type ClientId,
  closeCodes,
  type Grant,
  type Head,
  type InboxEntry,
  type InteractionId,
  ownerOf,
  type PermissionMode,
  RefusalError,
  type ReviewerOffScope,
  type ServerFrame,
  type ServerFrameOf,
  type Session,
  type SessionId,
} from '@parleyhq/core';
import type { ClientOptions } from './client-options.ts';
import { Connection, type ConnectionStatus } from './connection.ts';
import {
  addOlderPrompts,
  addOlderSessions,
  addSessions,
  type Directory,
  emptyDirectory,
  foldDirectory,
  setSessionPrompts,
} from './directory.ts';
import type { InvalidFrame } from './frame-check.ts';
import { makeId } from './id.ts';
import { Listeners } from './listeners.ts';
import { ConnectionLostError, type Request, RequestQueue, type Unsent } from './request-queue.ts';
import { SessionClient } from './session-client.ts';

/** The state of a client apart from its opened sessions. A new value with each change. */
export interface ClientState extends Directory {
  readonly connection: ConnectionStatus;
  /** The code with which the connection last closed, if it did. */
  readonly closeCode: number | undefined;
  /** The message of the last error that the server reported about this connection. */
  readonly complaint: string | undefined;
  /** Describes the last frame since the connection opened that did not match the protocol (FRM1). */
  readonly fault: string | undefined;
  readonly isInteractive: boolean;
  /** Answers and messages that wait for the connection; none while it is open (FRM6). */
  readonly unsent: Unsent;
}

export interface SessionSearch {
  readonly query?: string;
  readonly archived?: boolean;
  /** The last session of the previous page, as `<updatedAt>/<id>`. */
  readonly before?: string;
  readonly limit?: number;
}

/** The most prompts to load into the inbox; of the rest only the number is shown. */
const maxInbox = 1000;

const nothingUnsent: Unsent = { answers: 0, messages: 0 };

type Connecting = Pick<ClientState, 'connection' | 'closeCode' | 'complaint' | 'fault' | 'isInteractive'>;

/** A headless client: one connection, the list of sessions, the inbox, and any number of opened sessions. */
export class ParleyClient {
  readonly clientId: ClientId;
  readonly #options: ClientOptions;
  readonly #connection: Connection;
  readonly #requests: RequestQueue;
  readonly #sessions = new Map<SessionId, SessionClient>();
  /** Sessions that were subscribed right after the first hello, before its welcome. */
  readonly #early = new Set<SessionClient>();
  /** Sessions that were read again since the last welcome. */
  readonly #reread = new Set<SessionId>();
  readonly #listeners = new Listeners();
  readonly #grantListeners = new Listeners();
  /** Last session of the loaded pages. Sessions beyond it are in the list because they are pinned or opened. */
  #lastListed: Session | undefined;
  #directory: Directory = emptyDirectory;
  #connecting: Connecting;
  #isLooking = false;
  #state: ClientState;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.clientId = options.clientId ?? makeId();
    this.#connecting = {
      connection: 'stopped',
      closeCode: undefined,
      complaint: undefined,
      fault: undefined,
      isInteractive: options.isInteractive ?? true,
    };
    this.#state = { ...this.#connecting, ...this.#directory, unsent: nothingUnsent };
    this.#connection = new Connection(
      options.transport,
      {
        hello: () => this.#hello(),
        onHello: () => this.#askEarly(),
        onPrincipal: (id) => this.#setPrincipal(id),
        onFrame: (frame) => this.#receive(frame),
        onFault: (fault) => this.#distrust(fault),
        onStatus: (status, code) => this.#setConnection(status, code),
      },
      options,
    );
    this.#requests = new RequestQueue((frame) => this.#connection.send(frame), options.logInAgain);
  }

  get state(): ClientState {
    return this.#state;
  }

  /** Calls `listener` after each change of `state`. @returns a function that stops it */
  subscribe(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  /** Shows everybody who may answer a prompt that this person is working on it, for five minutes or until `release` (TEAM4). */
  claim(sessionId: SessionId, interactionId: InteractionId, release = false): void {
    this.tell({ type: 'claim_interaction', sessionId, interactionId, release });
  }

  /** The server's time in ms (FRM4). */
  now(): number {
    return this.#connection.now();
  }

  start(): void {
    this.#connection.start();
  }

  stop(): void {
    this.#connection.stop();
    this.#requests.fail(new ConnectionLostError());
  }

  reconnectNow(): void {
    this.#connection.reconnectNow();
  }

  /**
   * Sends a request. One that is safe to repeat waits for the connection and survives its loss (FRM6).
   * @returns the result of the reply
   * @throws RefusalError the server refused
   * @throws ConnectionLostError the connection broke and the request is not safe to repeat
   */
  request(frame: Request): Promise<unknown> {
    return this.#request(frame);
  }

  /** Sends a frame without waiting for a reply. Dropped silently while the connection is down. */
  tell(frame: Request): void {
    this.#connection.send(frame);
  }

  /** Opens a session, and keeps it up to date until it is closed as often as it was opened. */
  open(sessionId: SessionId): SessionClient {
    const known = this.#sessions.get(sessionId);
    if (known) return known.retain();
    const owner = {
      onHead: (head: Head) => this.#setDirectory(setSessionPrompts(this.#directory, sessionId, head.prompts)),
      onClose: () => this.#close(sessionId),
    };
    const wire = {
      request: (frame: Request, by?: string) => this.#request(frame, by),
      tell: (frame: Request) => this.tell(frame),
      whoAmI: () => this.#requests.principal,
      person: () => ownerOf(this.#state.welcome?.principal ?? { id: '' }),
      sign: this.#options.sign,
    };
    const session = new SessionClient(wire, sessionId, owner, this.#options.storage);
    this.#sessions.set(sessionId, session);
    if (this.#connection.status === 'open') session.resume();
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

  /** Pins or unpins a session in everybody's lists. */
  async pinSession(sessionId: SessionId, pinned: boolean): Promise<void> {
    await this.request({ type: 'update_session', sessionId, pinned });
  }

  /** Archives a session, or restores it. Its open prompts still wait for answers. */
  async archiveSession(sessionId: SessionId, archived: boolean): Promise<void> {
    await this.request({ type: 'update_session', sessionId, archived });
  }

  async deleteSession(sessionId: SessionId): Promise<void> {
    await this.request({ type: 'delete_session', sessionId });
  }

  /** Adds the next page of older sessions to the list. @returns their number */
  async loadMoreSessions(limit = 100): Promise<number> {
    const last = this.#lastListed;
    const sessions = await this.findSessions({ limit, ...(last && { before: `${last.updatedAt}/${last.id}` }) });
    this.#lastListed = sessions.at(-1) ?? last;
    this.#setDirectory(addOlderSessions(this.#directory, sessions));
    return sessions.length;
  }

  /** Finds sessions with `query` in their title, newest first, either archived or not. `state.sessions` does not change. */
  async findSessions(filter: SessionSearch): Promise<readonly Session[]> {
    const { sessions } = (await this.request({ type: 'list_sessions', ...filter })) as { sessions: Session[] };
    return sessions;
  }

  /** Returns the newest `limit` grants, oldest first: all, or those that apply in a session. */
  async listGrants(filter: { sessionId?: SessionId; limit?: number } = {}): Promise<readonly Grant[]> {
    const { grants = [] } = (await this.request({ type: 'list_grants', ...filter })) as { grants?: Grant[] };
    return grants;
  }

  async revokeGrant(grantId: string): Promise<void> {
    await this.request({ type: 'revoke_grant', grantId });
  }

  /** From its next call on people are asked about a tool that a policy has reviewed: in the session, or in all (LESS3). */
  async removeReviewer(sessionId: SessionId, toolName: string, scope: ReviewerOffScope): Promise<void> {
    await this.request({ type: 'remove_reviewer', sessionId, toolName, scope });
  }

  /** Calls `listener` when the result of `listGrants` may have changed. @returns a function that stops it */
  onGrantsChange(listener: () => void): () => void {
    return this.#grantListeners.add(listener);
  }

  /** Sets which calls of the session need approval from now on (APR3). */
  async setPermissionMode(sessionId: SessionId, permissionMode: PermissionMode): Promise<void> {
    await this.request({ type: 'update_session', sessionId, permissionMode });
  }

  /** Sets whether prompts can be answered here (INT15). Each hello repeats it. */
  async setInteractionEnabled(isInteractive: boolean): Promise<void> {
    this.#connecting = { ...this.#connecting, isInteractive };
    this.#publish();
    await this.request({ type: 'set_interaction_mode', enabled: isInteractive });
  }

  /** Sets whether somebody is using a page of this client: then their other devices are not notified (NTF1). */
  setLooking(isLooking: boolean): void {
    if (isLooking === this.#isLooking) return;
    this.#isLooking = isLooking;
    this.#sayActivity();
  }

  #sayActivity(): void {
    if (this.#connection.status !== 'open') return; // sent when it opens
    this.request({ type: 'activity', visible: this.#isLooking }).catch(() => undefined); // the next connection sends it again
  }

  #request(frame: Request, by?: string): Promise<unknown> {
    const reply = this.#requests.request(frame, by);
    if (this.#connection.status !== 'open') this.#publish(); // `unsent` has changed
    return reply;
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

  /** Subscribes right after the first hello; later, after the welcome, because another principal may be logged in (SEC4). */
  #askEarly(): void {
    if (this.#requests.principal !== undefined) return;
    this.#requests.lose(); // drop subscriptions of an earlier connection that was never welcomed
    this.#early.clear();
    for (const session of this.#sessions.values()) {
      this.#early.add(session);
      session.resume();
    }
  }

  #resume(): void {
    for (const session of this.#sessions.values()) if (!this.#early.has(session)) session.resume();
    for (const { sessionId } of this.#early)
      if (!this.#sessions.has(sessionId)) this.tell({ type: 'unsubscribe', sessionId }); // closed meanwhile
    this.#early.clear();
  }

  /** If the principal has changed, drops everything that the last one saw or requested (SEC4). */
  #setPrincipal(id: string): void {
    const last = this.#requests.principal;
    this.#requests.greet(id);
    if (last === undefined || last === id) return;
    this.#directory = emptyDirectory;
    for (const session of this.#sessions.values()) session.forget();
  }

  #receive(frame: ServerFrame): void {
    if (frame.type === 'reply') {
      this.#requests.receive(frame);
      return;
    }
    if (frame.type === 'error') this.#connecting = { ...this.#connecting, complaint: frame.message };
    if (frame.type === 'welcome') this.#connecting = { ...this.#connecting, complaint: undefined, fault: undefined };
    this.#setDirectory(foldDirectory(this.#directory, frame));
    if (frame.type === 'welcome' || frame.type === 'grants_changed') this.#grantListeners.notify();
    if (frame.type === 'welcome') {
      this.#reread.clear();
      this.#lastListed = frame.sessions.findLast(({ pinned }) => !pinned);
      this.#requests.flush();
      this.#resume();
      this.#fillInbox(frame).catch(() => undefined); // the next welcome tries again
    }
    const sessionId = sessionOf(frame);
    if (sessionId !== undefined) this.#sessions.get(sessionId)?.receive(frame);
  }

  /** Handles an invalid frame: reads its session again, once per connection, so that a faulty server is not asked forever. */
  #distrust({ type, sessionId, requestId }: InvalidFrame): void {
    this.#connecting = { ...this.#connecting, fault: `The server sent a faulty "${type}".` };
    this.#publish();
    if (requestId !== undefined) {
      const error = { code: 'internal', message: 'The reply of the server could not be read.' };
      this.#requests.receive({ type: 'reply', requestId, ok: false, error });
    }
    const session = sessionId === undefined ? undefined : this.#sessions.get(sessionId);
    if (!session || this.#reread.has(session.sessionId)) return;
    this.#reread.add(session.sessionId);
    session.reread();
  }

  /** Loads the prompts that the welcome left out, in pages from its oldest prompt backwards. */
  async #fillInbox(welcome: ServerFrameOf<'welcome'>): Promise<void> {
    let oldest = welcome.open[0];
    while (oldest && this.#directory.olderOpen > 0 && this.#directory.inbox.length < maxInbox) {
      const request: Request = { type: 'list_open', before: oldest.interaction.interactionId };
      const { open } = (await this.request(request)) as { open: InboxEntry[] };
      if (this.#directory.welcome !== welcome) return;
      this.#setDirectory(addOlderPrompts(this.#directory, open));
      oldest = open[0];
    }
  }

  #setConnection(connection: ConnectionStatus, closeCode: number | undefined): void {
    this.#connecting = { ...this.#connecting, connection, closeCode };
    if (connection === 'open' && this.#isLooking) queueMicrotask(() => this.#sayActivity()); // after waiting requests
    if (connection === 'reconnecting') {
      for (const session of this.#sessions.values()) session.lose();
      this.#requests.lose();
    }
    if (connection === 'refused') {
      const code = closeCode === closeCodes.upgradeRequired ? 'unsupported_protocol' : 'unauthorised';
      this.#requests.fail(new RefusalError(code));
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
    const unsent = this.#connecting.connection === 'open' ? nothingUnsent : this.#requests.countUnsent();
    this.#state = { ...this.#connecting, ...this.#directory, unsent };
    this.#listeners.notify();
  }
}

function sessionOf(frame: ServerFrame): SessionId | undefined {
  if ('sessionId' in frame) return frame.sessionId as SessionId;
  return 'session' in frame ? (frame.session as Session).id : undefined;
}
