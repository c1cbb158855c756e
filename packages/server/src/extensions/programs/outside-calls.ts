import {
  type Actor,
  type AuditActor,
  type Caller,
  type CallPage,
  type ChatEvent,
  type Credential,
  callKey,
  canonicalise,
  type Json,
  type OutsideCall,
  outsideAgent,
  type Principal,
  RefusalError,
  resultKey,
  type SessionId,
  type Store,
  type ToolCallId,
  toStorable,
} from '@parleyhq/core';
import type { QuotaService } from '../../auth/quota-service.ts';
import { authorise, hidingOfCall } from '../../runtime/call/authorise.ts';
import type { CallServices } from '../../runtime/call/call-services.ts';
import type { SessionHub } from '../../runtime/hub/hub.ts';
import type { SessionRuntime } from '../../runtime/hub/session-runtime.ts';
import { newId } from '../../runtime/node/new-id.ts';
import { OneByOne } from '../../runtime/node/one-by-one.ts';
import type { SessionWriter } from '../../runtime/session/session-writer.ts';
import { toRefusal } from '../../runtime/session/storage-refusal.ts';
import { type CallOutcome, storedOutcomeOf } from './call-outcome.ts';
import { type CallResults, freshMs } from './call-results.ts';

/** A program's request for a call. */
export interface CallRequest {
  /** Name of one of its channels; otherwise a session is given. */
  readonly channel?: string | undefined;
  readonly sessionId?: SessionId | undefined;
  readonly callId: string;
  readonly toolName: string;
  readonly args: Json;
  readonly from?: Caller | undefined;
  /** Title of the channel's session, if the call creates it. Default: the name that the caller gives itself */
  readonly title?: string;
  /** Whether the call ends with the request that waits for it, whatever its tool says. */
  readonly isLive?: boolean;
}

/** A stored call. A live one is waited for and ended by whoever began it: see `AttachedCalls`. */
export interface BegunCall extends OutsideCall {
  readonly isLive?: boolean;
}

/** The caller and its credential. */
export interface CallingClient {
  readonly principal: Principal;
  readonly actor: Actor;
  readonly auditActor: AuditActor;
  readonly credential: Credential;
}

/** A session in memory, or being loaded. */
type Loading = SessionRuntime | Promise<SessionRuntime>;

export interface OutsideOptions {
  readonly hub: SessionHub;
  readonly calls: Pick<CallServices, 'toolbox' | 'grants' | 'asking'>;
  readonly store: Pick<Store, 'outside' | 'index'>;
  readonly quotas: QuotaService;
  readonly results: CallResults;
}

export interface Withdrawal {
  readonly withdrawn: boolean;
  /** The actor that had decided the call before. */
  readonly by?: Actor;
  readonly at?: string;
}

/** First and last event of a call. */
export interface CallLife {
  readonly begun: ChatEvent<'tool_call'>;
  readonly end: ChatEvent<'tool_result'> | undefined;
}

/** Calls of external programs: each is stored as a call of its session and runs like any other (ASK1). */
export class OutsideCalls {
  readonly #options: OutsideOptions;
  /** Serialises requests for the same call or channel: later ones find what the first stored. */
  readonly #oneByOne = new OneByOne();

  constructor(options: OutsideOptions) {
    this.#options = options;
  }

  /**
   * Begins a call; a repeat of its key is the same call (ASK1).
   * @throws RefusalError `forbidden`, `not_found`, `not_supported`, `invalid`, `idempotency_conflict`, or what the store refused
   */
  async call(client: CallingClient, request: CallRequest): Promise<BegunCall> {
    this.#requireTool(client.principal, request.toolName);
    const key = { principal: client.principal.id, callId: request.callId };
    const { outside } = this.#options.store;
    return this.#oneByOne.run(`call ${JSON.stringify([key.principal, key.callId])}`, async () => {
      const known = await outside.findCall(key);
      if (known) return this.#repeat(known, request);
      try {
        return await this.#begin(client, request);
      } catch (error) {
        const first = isLostRace(error) ? await outside.findCall(key) : undefined; // another node began the same call meanwhile
        if (!first) throw error;
        return this.#repeat(first, request);
      }
    });
  }

  /** @throws RefusalError `idempotency_conflict` */
  async #repeat(known: OutsideCall, request: CallRequest): Promise<BegunCall> {
    const { toolName, args, isLive } = await this.#readCall(known);
    const isSame = toolName === request.toolName && canonicalise(args) === canonicalise(request.args);
    if (!isSame) throw new RefusalError('idempotency_conflict', { message: conflictWords });
    if (isLive) throw new RefusalError('idempotency_conflict', { message: repeatWords });
    return known;
  }

  /** Whether calls of this tool end with the requests that wait for them. */
  endsWithRequest(toolName: string): boolean {
    return this.#options.calls.toolbox.registry.get(toolName, outsideAgent)?.tool.endsWithRequest ?? false;
  }

  /** Finds a call of the principal, or any that an operator may see (SEC4, TEAM1). @throws RefusalError `not_found` */
  async find(principal: Principal, toolCallId: ToolCallId): Promise<OutsideCall> {
    const found = await this.#options.store.outside.findCall({ toolCallId });
    if (!found) throw new RefusalError('not_found');
    if (found.principal === principal.id) return found; // its own call is visible even if it is hidden from others
    if (principal.role !== 'operator') throw new RefusalError('not_found');
    const { session } = await this.#options.hub.openFor(principal, found.sessionId);
    if (session.visibility.hides(principal, toolCallId)) throw new RefusalError('not_found');
    return found;
  }

  /** Finds a call whose result may be fetched later. @throws RefusalError `not_found`, `not_supported` for a live one (ASK4) */
  async findLasting(principal: Principal, toolCallId: ToolCallId): Promise<OutsideCall> {
    return this.#requireLasting(await this.find(principal, toolCallId));
  }

  /** Lists the principal's calls, newest first. */
  list({ id }: Principal, page: CallPage): Promise<readonly OutsideCall[]> {
    return this.#options.store.outside.listCalls(id, page);
  }

  /**
   * Finds a call of the principal by its key, given or returned when it was made. The result must be fetchable.
   * @throws RefusalError `not_found`, `not_supported`
   */
  async findByKey(principal: Principal, callId: string): Promise<OutsideCall> {
    const found = await this.#options.store.outside.findCall({ principal: principal.id, callId });
    if (!found) throw new RefusalError('not_found', { message: 'You have no call with this callId.' });
    return this.#requireLasting(found);
  }

  /** @throws RefusalError `not_supported` for a call that ends with its request (ASK4) */
  async #requireLasting(call: OutsideCall): Promise<OutsideCall> {
    if ((await this.#readCall(call)).isLive) throw new RefusalError('not_supported', { message: liveWords });
    return call;
  }

  /**
   * Withdraws a call. One that has ended or was answered stays as it is; the reply then names who settled it, and when (ASK4).
   * @throws RefusalError `not_found`, `forbidden`, `not_supported`
   */
  async withdraw(
    { principal, credential, auditActor: by }: CallingClient,
    session: SessionWriter,
    { toolCallId, note }: { readonly toolCallId: ToolCallId; readonly note?: string | undefined },
  ): Promise<Withdrawal> {
    await this.#requireSeen(principal, session, toolCallId);
    try {
      await session.perform({ type: 'withdraw', toolCallId, note, principal }, { by, credential });
      return { withdrawn: true };
    } catch (error) {
      if (!(error instanceof RefusalError && error.code === 'closed')) throw error;
      return findDecision(session, toolCallId);
    }
  }

  /** Withdraws the calls whose requests ended with the last process. To be called once, before clients come (ASK4). */
  async withdrawLost(sessions: Iterable<Loading> = this.#options.hub.loaded()): Promise<void> {
    for (const loading of sessions) {
      const { session } = await loading;
      if (!session.isOwned) continue; // another node runs its calls
      for (const { toolCallId, toolName, by, isLive } of session.head.calls) {
        if (!by || !(isLive || this.endsWithRequest(toolName))) continue; // older logs do not mark them all
        const principal: Principal = { id: by.principal, role: 'asker' };
        const withdrawing = session.perform({ type: 'withdraw', toolCallId, note: noLongerWaiting, principal });
        await withdrawing.catch(ignoreClosed); // its result is about to be stored
      }
    }
  }

  /**
   * Returns the outcome of a call; undefined while it is open. Secrets in it are only for its caller, while they are in memory
   * (ASK5).
   */
  async readOutcome(
    { sessionId, toolCallId, principal }: OutsideCall,
    reader = principal,
    { isWaiting = false } = {},
  ): Promise<CallOutcome | undefined> {
    const [text] = await this.#options.store.index.find(sessionId, resultKey(toolCallId));
    if (text === undefined) return undefined;
    const fresh = reader === principal ? this.#options.results.take(toolCallId) : undefined;
    if (fresh) return fresh;
    const { payload, seq, timestamp }: ChatEvent<'tool_result'> = JSON.parse(text);
    const outcome = storedOutcomeOf(payload);
    const mayBeElsewhere = outcome.delivered === false && reader === principal && isRecent(timestamp);
    const fetched = mayBeElsewhere && (await this.#options.results.fetch({ sessionId, seq, toolCallId }, isWaiting));
    return fetched || outcome;
  }

  /**
   * Reads the begin of a call and its stored end, without anything that only one reader may have. @throws RefusalError
   * `not_found`
   */
  async readLife({ sessionId, toolCallId }: OutsideCall): Promise<CallLife> {
    const { index } = this.#options.store;
    const [called, ended] = await index.find(sessionId, callKey(toolCallId), resultKey(toolCallId));
    if (called === undefined) throw new RefusalError('not_found'); // its session was just deleted
    return { begun: JSON.parse(called), end: ended === undefined ? undefined : JSON.parse(ended) };
  }

  async #readCall(call: OutsideCall): Promise<ChatEvent<'tool_call'>['payload']> {
    return (await this.readLife(call)).begun.payload;
  }

  async #begin(client: CallingClient, request: CallRequest): Promise<BegunCall> {
    const { hub, quotas } = this.#options;
    const { principal, credential, actor: by, auditActor } = client;
    const { callId, toolName, args, from, isLive = this.endsWithRequest(toolName) } = request;
    const sessionId = request.sessionId ?? (await this.#openChannel(client, request));
    const { session } = await hub.openFor(principal, sessionId);
    if (session.row.agent !== outsideAgent) throw new RefusalError('not_supported', { message: insideWords });
    const plugin = this.#options.calls.toolbox.registry.get(toolName, outsideAgent)?.plugin;
    const toolCallId = newId();
    const call = {
      ...{ toolCallId, toolName, args, callId, by },
      ...(from && { from }),
      ...(isLive && { isLive }),
      ...(plugin && { plugin }),
      authorised: { by: 'tool' },
    } as const;
    const spend = quotas.payerOf(principal, ['messagesPerHour', 1]);
    const outsideCall = { principal: principal.id, callId, toolCallId };
    const { calls } = this.#options;
    await session.transact(async () => {
      const { said, grant } = await authorise(calls, session, call);
      return {
        command: { type: 'call', call: { ...call, ...said, ...hidingOfCall(calls.toolbox, session.head, call) } },
        usedGrants: grant ? [grant] : [],
        ...{ by: auditActor, credential, outsideCall, spend },
      };
    });
    return { sessionId, toolCallId, principal: principal.id, isLive };
  }

  /** Returns the session of a channel, created at its first use (ASK1). */
  #openChannel(client: CallingClient, { channel: name, from, title = from?.name }: CallRequest): Promise<SessionId> {
    const { hub, quotas, store } = this.#options;
    const { principal, credential, auditActor: by } = client;
    if (name === undefined) throw new RefusalError('invalid', { message: 'Name a channel or a session.' });
    // it could not see the new session
    if (principal.role === 'operator' && principal.sessions) throw new RefusalError('forbidden');
    const channel = { principal: principal.id, name };
    return this.#oneByOne.run(`channel ${JSON.stringify([channel.principal, name])}`, async () => {
      const known = await store.outside.findChannel(channel);
      if (known !== undefined) return known;
      quotas.spend(principal, ['sessionsPerHour', 1]);
      const maker = quotas.makerOf(principal);
      const named = toStorable(title ?? principal.name ?? name);
      const creating = hub.create({ title: named, agent: outsideAgent, channel, by, credential, maker });
      try {
        return (await quotas.explain(principal, creating)).id;
      } catch (error) {
        // another node created it meanwhile
        const first = isLostRace(error) ? await store.outside.findChannel(channel) : undefined;
        if (first === undefined) throw error;
        return first;
      }
    });
  }

  /** Refuses a hidden call as unknown, unless the principal made it or may see it (TEAM1). @throws RefusalError `not_found` */
  async #requireSeen(principal: Principal, { visibility }: SessionWriter, toolCallId: ToolCallId): Promise<void> {
    if (!visibility.hides(principal, toolCallId)) return;
    const found = await this.#options.store.outside.findCall({ toolCallId });
    if (found?.principal !== principal.id) throw new RefusalError('not_found');
  }

  /** Checks the role: askers may call only tools that ask, operators may call all tools, others none (ASK2). */
  #requireTool({ role }: Principal, toolName: string): void {
    if (role !== 'operator' && role !== 'asker') throw new RefusalError('forbidden', { message: roleWords });
    const { registry } = this.#options.calls.toolbox;
    const tool = registry.get(toolName, outsideAgent)?.tool;
    if (!tool && role === 'operator')
      throw new RefusalError('invalid', { message: registry.unknown(toolName).message });
    if (role === 'operator' || tool?.asking) return;
    const names = registry.offers
      .map(({ name }) => name)
      .filter((name) => registry.get(name, outsideAgent)?.tool.asking);
    throw new RefusalError('forbidden', { message: `${askerWords} ${names.join(', ') || 'it has none'}.` });
  }
}

function isLostRace(error: unknown): boolean {
  return toRefusal(error).code === 'retry_later';
}

/** Finds out who settled a call. @throws RefusalError `not_found` if there is no such call */
async function findDecision({ reader }: SessionWriter, toolCallId: ToolCallId): Promise<Withdrawal> {
  if ((await reader.findEvent(callKey(toolCallId))) === undefined) throw new RefusalError('not_found');
  const text = await reader.findEvent(resultKey(toolCallId));
  const result: ChatEvent<'tool_result'> | undefined = text === undefined ? undefined : JSON.parse(text);
  if (result?.payload.error?.code === 'withdrawn') return { withdrawn: true }; // a repeat
  const answer = (await reader.findAnswers(toolCallId)).at(-1);
  if (answer) return { withdrawn: false, by: answer.payload.by, at: answer.timestamp };
  return { withdrawn: false, ...(result && { at: result.timestamp }) };
}

/** Whether another node may still have the result with its secrets, even if its clock is a minute ahead or behind. */
function isRecent(timestamp: string): boolean {
  return Date.now() - Date.parse(timestamp) < freshMs + 60_000;
}

function ignoreClosed(error: unknown): void {
  if (!(error instanceof RefusalError && error.code === 'closed')) throw error;
}

/** Note on the withdrawal of a call that ended with its request. */
export const noLongerWaiting = 'No longer waiting';

const conflictWords = 'This callId was used before for another tool or other arguments.';
const repeatWords = 'This call ends with the request that made it and cannot be repeated: use another callId.';
const liveWords = 'Its result is only for the request that made the call.';
const insideWords = 'An agent of this server works in this session: calls from outside go to sessions of their own.';
const roleWords = 'Calling tools requires the role asker or operator.';
const askerWords = 'An asker may only call tools of this server that say they only ask (asking: true):';
