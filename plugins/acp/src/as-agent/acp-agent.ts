import {
  describeFolder,
  type Principal,
  protocolVersion,
  RefusalError,
  type ServerFrame,
  type ServerFrameOf,
  type Session,
  type SocketLine,
  showHidden,
  type Translation,
  toStorable,
  type WireErrorCode,
} from '@parleyhq/core';
import { Deferred } from '../deferred.ts';
import { FrameLink, toRefusal } from './frame-link.ts';
import { toModes } from './modes.ts';
import { OpenSession, type Past } from './open-session.ts';
import { isMethod, type Method, type ParamsOf, readParams } from './params.ts';
import { promptCapabilities, toMessageText } from './prompt-text.ts';
import type { EditorFeatures } from './question.ts';
import { RpcError, RpcPeer, rpcCodes } from './rpc.ts';

type Welcome = ServerFrameOf<'welcome'>;

/** The version of the protocol. */
const acpVersion = 1;

/** How many sessions a page of `session/list` has. */
const pageLength = 100;

/** In characters. */
const maxLabel = 200;

/**
 * Parley as an agent of the Agent Client Protocol for one editor: a translation to the frames of one more tab. Whatever the editor
 * may see and do follows from these frames (ACP3).
 */
export class AcpAgent implements Translation {
  readonly #line: SocketLine;
  readonly #rpc: RpcPeer;
  readonly #frames: FrameLink;
  readonly #sessions = new Map<string, OpenSession>();
  readonly #welcome = new Deferred<Welcome>();
  #features: EditorFeatures | undefined;
  #isEnabled = false;

  constructor(line: SocketLine) {
    this.#line = line;
    this.#frames = new FrameLink((frame) => line.toServer(frame));
    this.#rpc = new RpcPeer({
      send: (text) => line.toClient(text),
      answer: (method, params, signal) => this.#answer(method, params, signal).catch(rethrow),
      notice: (method, params) => this.#takeNotice(method, params),
      fail: (error, method) => line.log.error('a request could not be answered', { method, error }),
    });
  }

  fromClient(text: string): void {
    this.#rpc.receive(text);
  }

  fromServer(text: string): void {
    const frame = JSON.parse(text) as ServerFrame;
    if (frame.type === 'reply') this.#frames.take(frame);
    else if (frame.type === 'welcome') this.#welcome.resolve(frame);
    else if (frame.type === 'error') for (const session of this.#sessions.values()) session.fail(toRefusal(frame));
    else this.#sessions.get(sessionOf(frame) ?? '')?.receive(frame);
    if (frame.type === 'session_deleted') this.#sessions.delete(frame.session.id);
  }

  end(): void {
    this.#rpc.end();
    this.#frames.end();
    const over = new RpcError(rpcCodes.cancelled, 'The connection has ended.');
    for (const session of this.#sessions.values()) session.end(over);
  }

  async #answer(method: string, params: unknown, signal: AbortSignal): Promise<unknown> {
    if (method === 'initialize') return this.#initialize(readParams(method, params));
    if (!this.#features) throw new RpcError(rpcCodes.invalidRequest, 'Send "initialize" first.');
    if (!isMethod(method)) throw new RpcError(rpcCodes.unknownMethod, `There is no method "${method}" here.`);
    const { principal } = await this.#welcome.promise;
    return this.#call(method, params, { signal, principal });
  }

  async #call(
    method: Method,
    params: unknown,
    { signal, principal }: { readonly signal: AbortSignal; readonly principal: Principal },
  ): Promise<unknown> {
    switch (method) {
      case 'session/new':
        return this.#create(readParams(method, params), principal);
      case 'session/load':
        return this.#open(readParams(method, params), 'replayed', principal);
      case 'session/resume':
        return this.#open(readParams(method, params), 'known', principal);
      case 'session/list':
        return this.#list(readParams(method, params));
      case 'session/prompt': {
        const { sessionId, prompt } = readParams(method, params);
        return { stopReason: await this.#find(sessionId).prompt(toMessageText(prompt), signal) };
      }
      case 'session/set_mode': {
        const { sessionId, modeId: permissionMode } = readParams(method, params);
        const mode = { permissionMode } as { permissionMode: 'default' };
        await this.#frames.request({ type: 'update_session', sessionId: this.#find(sessionId).sessionId, ...mode });
        return {};
      }
      default:
        return method satisfies never;
    }
  }

  /** The first message says which tab this is: its label is the name of the editor. */
  async #initialize({ clientInfo, clientCapabilities }: ParamsOf<'initialize'>): Promise<unknown> {
    if (this.#features) throw new RpcError(rpcCodes.invalidRequest, '"initialize" was sent before.');
    const { form, url } = clientCapabilities?.elicitation ?? {};
    this.#features = { hasForms: Boolean(form), hasAddresses: Boolean(url) };
    const label = toStorable((clientInfo?.title ?? clientInfo?.name ?? 'ACP').slice(0, maxLabel));
    this.#line.toServer(JSON.stringify({ type: 'hello', protocol: protocolVersion, label }));
    const { server } = await this.#welcome.promise;
    return {
      protocolVersion: acpVersion,
      agentInfo: { name: 'parley', title: 'Parley', version: server.version },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities,
        mcpCapabilities: { http: false, sse: false },
        sessionCapabilities: { list: {}, resume: {} },
      },
      authMethods: [],
    };
  }

  /** Makes a session that is named after the editor's folder, as those of other programs are. */
  async #create({ cwd, mcpServers }: ParamsOf<'session/new'>, principal: Principal): Promise<unknown> {
    const { title } = describeFolder('New session', toStorable(cwd));
    const request = { type: 'create_session' as const, ...(title !== undefined && { title }) };
    const { session } = (await this.#frames.request(request)) as { session: Session };
    const opened = await this.#open({ sessionId: session.id, mcpServers }, 'known', principal);
    return { sessionId: session.id, ...opened };
  }

  async #open(
    { sessionId, mcpServers }: Pick<ParamsOf<'session/resume'>, 'sessionId' | 'mcpServers'>,
    past: Past,
    principal: Principal,
  ): Promise<object> {
    if (!isSessionId(sessionId)) throw unknownSession(sessionId);
    await this.#enable();
    const features = this.#features as EditorFeatures;
    const host = { rpc: this.#rpc, frames: this.#frames, principal, features, pageUrl: this.#line.pageUrl };
    const known = this.#sessions.get(sessionId);
    const session = known ?? new OpenSession(sessionId, host);
    this.#sessions.set(sessionId, session);
    try {
      const { permissionMode } = await session.open(past);
      setImmediate(() => session.show()); // after the result, so that the editor knows the session
      return { modes: toModes(permissionMode), ...describeIgnored(mcpServers) };
    } catch (error) {
      if (!known) this.#sessions.delete(sessionId);
      if (error instanceof RefusalError && error.code === 'not_found') throw unknownSession(sessionId);
      throw error;
    }
  }

  /** Counts as somebody who answers from the first session on, because an editor shows no prompts of others (INT14). */
  async #enable(): Promise<void> {
    if (this.#isEnabled) return;
    await this.#frames.request({ type: 'set_interaction_mode', enabled: true });
    this.#isEnabled = true;
  }

  /** Sessions here belong to no folder of the editor's machine, so that each folder has them all. */
  async #list({ cwd, cursor }: ParamsOf<'session/list'>): Promise<unknown> {
    const page = { limit: pageLength, ...(cursor != null && { before: cursor }) };
    const { sessions } = (await this.#frames.request({ type: 'list_sessions', ...page })) as { sessions: Session[] };
    const last = sessions.length === pageLength ? sessions.at(-1) : undefined;
    return {
      sessions: sessions.map(({ id, title, updatedAt }) => ({
        sessionId: id,
        cwd: cwd ?? '/',
        title: showHidden(title),
        updatedAt,
      })),
      ...(last && { nextCursor: `${last.updatedAt}/${last.id}` }),
    };
  }

  /** @throws RpcError if this connection has not opened it */
  #find(sessionId: string): OpenSession {
    const session = this.#sessions.get(sessionId);
    if (!session) throw unknownSession(sessionId);
    return session;
  }

  #takeNotice(method: string, params: unknown): void {
    if (method !== 'session/cancel' || !this.#features) return; // notifications of other sorts are not for Parley
    try {
      const session = this.#sessions.get(readParams(method, params).sessionId);
      void session?.cancel().then((refusal) => {
        if (refusal) this.#line.log.info('a turn was not cancelled', { code: refusal.code });
      });
    } catch (error) {
      this.#line.log.info('a notification could not be read', { method, error });
    }
  }
}

function sessionOf(frame: ServerFrame): string | undefined {
  if ('sessionId' in frame && typeof frame.sessionId === 'string') return frame.sessionId;
  return 'session' in frame ? (frame.session as Session).id : undefined;
}

function isSessionId(id: string): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(id);
}

function unknownSession(sessionId: string): RpcError {
  const words = 'There is no such session, you may not see it, or this connection has not loaded it.';
  return new RpcError(rpcCodes.notFound, words, { sessionId, code: 'not_found' });
}

function describeIgnored(servers: readonly { readonly name: string }[]): object {
  if (servers.length === 0) return {};
  return { _meta: { parley: { ignoredMcpServers: servers.map(({ name }) => name) } } };
}

const codes: Partial<Record<WireErrorCode, (typeof rpcCodes)[keyof typeof rpcCodes]>> = {
  not_found: rpcCodes.notFound,
  unauthorised: rpcCodes.unauthorised,
  login_again: rpcCodes.unauthorised,
  invalid: rpcCodes.invalidParams,
  bad_frame: rpcCodes.invalidParams,
  internal: rpcCodes.internal,
  storage_failed: rpcCodes.internal,
  storage_busy: rpcCodes.internal,
  storage_full: rpcCodes.internal,
};

/** Gives a refusal of the server the form of the protocol: its own code is in `data`. */
function rethrow(error: unknown): never {
  if (!(error instanceof RefusalError)) throw error;
  const { code, message, details } = error;
  const data = { code, ...(details !== undefined && { details }) };
  throw new RpcError(codes[code] ?? rpcCodes.refused, message, data);
}
