import {
  type CallPage,
  type ChatEvent,
  type ClientFrameOf,
  callKey,
  canonicalise,
  type InteractionResponse,
  type OutsideCall,
  outsideAgent,
  type Principal,
  RefusalError,
  resultKey,
  type Store,
  type ToolCallId,
} from '@parleyhq/core';
import {
  authorise,
  type CallServices,
  hidingOfCall,
  newId,
  type SessionHub,
  type SessionRuntime,
  storeComment,
} from '@parleyhq/runtime';
import type { QuotaService } from '../../auth/quota-service.ts';
import type { CallingClient, CallRequest, ProgramCall } from './call-request.ts';
import { CallerChannels } from './caller-channels.ts';
import { CreateOnce } from './create-once.ts';
import { findDecision, type Withdrawal } from './find-decision.ts';
import { requireTool } from './require-tool.ts';

/** A session in memory, or being loaded. */
type Loading = SessionRuntime | Promise<SessionRuntime>;

export interface ProgramCallsOptions {
  readonly hub: SessionHub;
  readonly calls: Pick<CallServices, 'toolbox' | 'grants' | 'asking' | 'host'>;
  readonly store: Pick<Store, 'outside' | 'index'>;
  readonly quotas: QuotaService;
}

/** First and last event of a call. */
export interface CallLife {
  readonly begun: ChatEvent<'tool_call'>;
  readonly end: ChatEvent<'tool_result'> | undefined;
}

/** Begins, finds and withdraws the calls of programs: each is stored as a call of its session and runs like any other (ASK1). */
export class ProgramCalls {
  readonly #options: ProgramCallsOptions;
  readonly #channels: CallerChannels;
  readonly #once = new CreateOnce();

  constructor(options: ProgramCallsOptions) {
    this.#options = options;
    this.#channels = new CallerChannels(options);
  }

  /**
   * Begins a call; a repeat of its key is the same call (ASK1).
   * @throws RefusalError `forbidden`, `not_found`, `not_supported`, `invalid`, `idempotency_conflict`, or what the store refused
   */
  async begin(client: CallingClient, request: CallRequest): Promise<ProgramCall> {
    const { calls, store } = this.#options;
    requireTool(calls.toolbox.registry, client.principal, request.toolName);
    const key = { principal: client.principal.id, callId: request.callId };
    const find = async () => {
      const known = await store.outside.findCall(key);
      return known && this.#repeat(known, request);
    };
    return this.#once.run(JSON.stringify([key.principal, key.callId]), find, () => this.#create(client, request));
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

  /**
   * Finds a call of the principal by its key, given or returned when it was made. The result must be fetchable.
   * @throws RefusalError `not_found`, `not_supported`
   */
  async findByKey(principal: Principal, callId: string): Promise<OutsideCall> {
    const found = await this.#options.store.outside.findCall({ principal: principal.id, callId });
    if (!found) throw new RefusalError('not_found', { message: 'You have no call with this callId.' });
    return this.#requireLasting(found);
  }

  /** Lists the principal's calls, newest first. */
  list({ id }: Principal, page: CallPage): Promise<readonly OutsideCall[]> {
    return this.#options.store.outside.listCalls(id, page);
  }

  /**
   * Reads the begin of a call and its stored end, without anything that only one reader may have.
   * @throws RefusalError `not_found`
   */
  async readLife({ sessionId, toolCallId }: OutsideCall): Promise<CallLife> {
    const { index } = this.#options.store;
    const [called, ended] = await index.find(sessionId, callKey(toolCallId), resultKey(toolCallId));
    if (called === undefined) throw new RefusalError('not_found'); // its session was just deleted
    return { begun: JSON.parse(called), end: ended === undefined ? undefined : JSON.parse(ended) };
  }

  /** Reads the answers of people to a call, in their order; none if its session was deleted. */
  async readAnswers(
    principal: Principal,
    { sessionId, toolCallId }: OutsideCall,
  ): Promise<readonly InteractionResponse[]> {
    try {
      const { session } = await this.#options.hub.openFor(principal, sessionId);
      return (await session.reader.findAnswers(toolCallId)).map(({ payload }) => payload);
    } catch (error) {
      if (error instanceof RefusalError && error.code === 'not_found') return [];
      throw error;
    }
  }

  /**
   * Withdraws a call. One that has ended or was answered stays as it is; the reply then names who settled it, and when (ASK4).
   * @throws RefusalError `not_found`, `forbidden`, `not_supported`
   */
  async withdraw(
    { principal, credential, auditActor: by }: CallingClient,
    { sessionId, toolCallId, note }: Pick<ClientFrameOf<'withdraw_call'>, 'sessionId' | 'toolCallId' | 'note'>,
  ): Promise<Withdrawal> {
    const { hub, store } = this.#options;
    const { session } = await hub.openFor(principal, sessionId);
    if (session.visibility.hides(principal, toolCallId)) {
      const found = await store.outside.findCall({ toolCallId });
      if (found?.principal !== principal.id) throw new RefusalError('not_found'); // hidden from it (TEAM1)
    }
    try {
      await session.perform({ type: 'withdraw', toolCallId, note, principal }, { by, credential });
      return { withdrawn: true };
    } catch (error) {
      if (!isClosed(error)) throw error;
      return findDecision(session, toolCallId);
    }
  }

  /** Replies to a comment on any prompt of a call (REV4). @throws RefusalError `not_found`, or as `reply` */
  async replyIn(
    client: CallingClient,
    { sessionId, toolCallId }: OutsideCall,
    reply: Pick<ClientFrameOf<'reply_comment'>, 'commentId' | 'text' | 'replyTo'>,
  ): Promise<{ readonly seq: number }> {
    const { session } = await this.#options.hub.openFor(client.principal, sessionId);
    const interactionId = await session.reader.findCommented(toolCallId, reply.replyTo);
    if (interactionId === undefined)
      throw new RefusalError('not_found', { message: 'The questions of this call have no such comment.' });
    return this.reply(client, { ...reply, sessionId, interactionId });
  }

  /**
   * Replies to a comment on a prompt of the client's own call (REV4).
   * @throws RefusalError `not_found`, `forbidden` for a call of somebody else, or as `storeComment`
   */
  async reply(
    { principal, credential, actor, auditActor: by }: CallingClient,
    { sessionId, interactionId, commentId, text, replyTo }: Omit<ClientFrameOf<'reply_comment'>, 'type' | 'requestId'>,
  ): Promise<{ readonly seq: number }> {
    const { hub, store, quotas } = this.#options;
    const { session } = await hub.openFor(principal, sessionId);
    const toolCallId = await session.reader.findAsker(interactionId);
    const found = toolCallId === undefined ? undefined : await store.outside.findCall({ toolCallId });
    if (!found || found.principal !== principal.id) {
      const isHidden = toolCallId === undefined || session.visibility.hides(principal, toolCallId);
      throw isHidden ? new RefusalError('not_found') : new RefusalError('forbidden', { message: othersWords });
    }
    const { toolCallId: own } = found;
    const reply = { toolCallId: own, interactionId, commentId, text, by: actor, replyTo, isAskers: true as const };
    const spend = quotas.payerOf(principal, ['messagesPerHour', 1]);
    return storeComment(session, reply, { by, credential, spend });
  }

  /** Withdraws the calls whose requests ended with the last process. To be called once, before clients come (ASK4). */
  async withdrawLost(sessions: Iterable<Loading> = this.#options.hub.loaded()): Promise<void> {
    for (const loading of sessions) {
      const { session } = await loading;
      if (!session.isOwned) continue; // another node runs its calls
      for (const { toolCallId, toolName, by, isLive } of session.head.calls) {
        if (!by || !(isLive || this.endsWithRequest(toolName))) continue; // older logs do not mark them all
        const principal: Principal = { id: by.principal, role: 'asker' };
        try {
          await session.perform({ type: 'withdraw', toolCallId, note: noLongerWaiting, principal });
        } catch (error) {
          if (!isClosed(error)) throw error; // otherwise its result is about to be stored
        }
      }
    }
  }

  async #create(client: CallingClient, request: CallRequest): Promise<ProgramCall> {
    const { hub, calls, quotas } = this.#options;
    const { principal, credential, actor: by, auditActor } = client;
    const { callId, toolName, args, from, isLive = this.endsWithRequest(toolName) } = request;
    const sessionId = request.sessionId ?? (await this.#channels.open(client, request));
    const { session } = await hub.openFor(principal, sessionId);
    if (session.row.agent !== outsideAgent) throw new RefusalError('not_supported', { message: insideWords });
    const plugin = calls.toolbox.registry.get(toolName, outsideAgent)?.plugin;
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

  /** @throws RefusalError `idempotency_conflict` */
  async #repeat(known: OutsideCall, request: CallRequest): Promise<ProgramCall> {
    const { toolName, args, isLive } = (await this.readLife(known)).begun.payload;
    const isSame = toolName === request.toolName && canonicalise(args) === canonicalise(request.args);
    if (!isSame) throw new RefusalError('idempotency_conflict', { message: conflictWords });
    if (isLive) throw new RefusalError('idempotency_conflict', { message: repeatWords });
    return known;
  }

  /** @throws RefusalError `not_supported` for a call that ends with its request (ASK4) */
  async #requireLasting(call: OutsideCall): Promise<OutsideCall> {
    const { begun } = await this.readLife(call);
    if (begun.payload.isLive) throw new RefusalError('not_supported', { message: liveWords });
    return call;
  }
}

function isClosed(error: unknown): boolean {
  return error instanceof RefusalError && error.code === 'closed';
}

/** Note on the withdrawal of a call that ended with its request. */
export const noLongerWaiting = 'No longer waiting';

const othersWords = 'Only the program that made the call can reply as it: use comment_interaction.';
const conflictWords = 'This callId was used before for another tool or other arguments.';
const repeatWords = 'This call ends with the request that made it and cannot be repeated: use another callId.';
const liveWords = 'Its result is only for the request that made the call.';
const insideWords = 'An agent of this server works in this session: calls from outside go to sessions of their own.';
