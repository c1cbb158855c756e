import { isDeepStrictEqual } from 'node:util';
import {
  type CallbackOptions,
  type CallbackOutcome,
  callFaults,
  findCall,
  type Head,
  type Instant,
  type Json,
  type Parameters,
  type ReadSchema,
  redacted,
  ToolError,
  type WaitOptions,
  withdrawn,
} from '@parleyhq/core';
import { describeMisfit, readSchema, requireReadable } from '@parleyhq/core/schemas';
import { runAt } from '../node/run-at.ts';
import { nameCallback } from '../session/unacknowledged.ts';
import { makeValidator } from '../tools/bounded-validator.ts';
import type { CallServices } from './call-services.ts';
import { type CallbackRecord, callbackKeys, type WaitRecord } from './callback-records.ts';
import type { CallParts } from './question.ts';
import { stateOf, withSecretState } from './return-state.ts';

/** A redacted `from` or `sendTo` would no longer restrict who can end the wait. */
const noSecret = '"from" and "sendTo" cannot contain a secret that a person typed: they are stored in the clear.';

/**
 * The callbacks of one call, by which outside programs end its waits (PLG11). The log records which are settled, the call's
 * records what was posted.
 */
export class Callbacks {
  readonly #parts: CallParts;
  readonly #services: CallServices;
  readonly #signal: AbortSignal;
  readonly #graceMs: number;
  readonly #opened = new Map<string, CallbackRecord>();
  readonly #awaited = new Set<string>();
  /** Posted values that contain a secret, by record key: kept in memory only (INT17). */
  readonly #unkept = new Map<string, Json>();

  /**
   * @param over - aborts when the call is over
   * @param graceMs - how much longer a post may come that was awaited before a restart, in ms
   */
  constructor(
    parts: CallParts,
    services: CallServices,
    { over, graceMs }: { readonly over: AbortSignal; readonly graceMs: number },
  ) {
    this.#parts = parts;
    this.#services = services;
    this.#signal = over;
    this.#graceMs = graceMs;
  }

  /** Opens a callback. Its schema is stored before anybody can know the address. */
  async open(key: string, { schema, ttlMs, browser }: CallbackOptions): Promise<string> {
    this.#requireNew(key, this.#opened, 'ctx.callback');
    const { journal, writer } = this.#parts;
    const { host, callbacks } = this.#services;
    const known = journal.recorded(callbackKeys.opened(key)) as CallbackRecord | undefined;
    const until = known ? known.until : ttlMs === undefined ? undefined : host.node.now() + ttlMs;
    const read = schema && this.#readKept(schema, `ctx.callback(${JSON.stringify(key)})`);
    const record = {
      ...(read && { schema: read.jsonSchema }),
      ...(until !== undefined && { until }),
      ...(browser && { browser }),
    };
    if (this.#opened.size === 0) this.#hearUnkept();
    this.#opened.set(key, record);
    if (JSON.stringify(known) !== JSON.stringify(record)) await writer.record(callbackKeys.opened(key), record as Json);
    const { toolCallId } = writer.call;
    const place = { sessionId: writer.session.id, toolCallId, key };
    return browser ? callbacks.returnAddressOf(place) : callbacks.addressOf(place);
  }

  /**
   * Reads the schema in the form that is stored, because posts are checked against that.
   * @throws ToolError `secret_refused`; Error if it cannot be read again
   */
  #readKept(schema: Parameters, door: string): ReadSchema {
    const read = readSchema(schema, door);
    requireReadable(read, door);
    if (!this.#parts.writer.hasSecret(read.jsonSchema)) return read;
    const words = `${door}: a secret that a person typed cannot be part of a schema: schemas are stored in the clear.`;
    throw new ToolError('secret_refused', words);
  }

  /** @throws ToolError `timeout` if nothing came in time; `tool_error` if what came does not match the schema */
  async wait(key: string, schema: Parameters | undefined, options: WaitOptions): Promise<unknown> {
    const door = `ctx.waitFor(${JSON.stringify(key)})`;
    const opened = this.#opened.get(key);
    if (!opened) throw new ToolError('tool_error', `${door}: ctx.callback(${JSON.stringify(key)}) comes first.`);
    if (options.from !== undefined && !opened.browser)
      throw new ToolError(
        'tool_error',
        `${door}: "from" is only for callbacks by a browser: ctx.callback needs "browser: true".`,
      );
    if (options.sendTo !== undefined) await this.#requireState(key, options.sendTo, door);
    this.#requireNew(key, this.#awaited, 'ctx.waitFor');
    this.#awaited.add(key);
    const read = schema && readSchema(schema, door);
    const outcome = await this.#settled(key, options, opened);
    if (outcome === 'timeout') throw new ToolError('timeout', `Nobody called back "${key}" in time.`);
    if (outcome === 'withdrawn') throw withdrawn(options.signal);
    const posted = await this.#readPosted(key);
    if (!read) return posted;
    const result = await makeValidator(read, 'tool_error')(posted);
    if (!result.issues) return result.value;
    throw new ToolError('tool_error', `${door}: what came does not fit: ${describeMisfit(result.issues)}`);
  }

  async #settled(key: string, options: WaitOptions, opened: CallbackRecord): Promise<CallbackOutcome> {
    const { session } = this.#parts.writer;
    const known = this.#findOutcome(key, session.head);
    if (known) {
      await session.flushed(); // the outcome may be decided but not stored yet
      await this.#parts.writer.acknowledge(nameCallback(key));
      return known;
    }
    const until = await this.#recordWait(key, options, opened);
    return this.#parts.clock.waitForPeople(this.#await(key, until, options.signal));
  }

  /**
   * Records the wait and returns its deadline, which is absolute. After a restart there is a grace period for what could not come
   * meanwhile (INT10).
   */
  async #recordWait(
    key: string,
    { timeoutMs = null, from, sendTo }: WaitOptions,
    opened: CallbackRecord,
  ): Promise<Instant | undefined> {
    const { journal, writer } = this.#parts;
    const now = this.#services.host.node.now();
    const known = journal.recorded(callbackKeys.wait(key)) as WaitRecord | undefined;
    if (known) return known.until === undefined ? undefined : Math.max(known.until, now + this.#graceMs);
    const ends = [opened.until, timeoutMs === null ? undefined : now + timeoutMs].filter((end) => end !== undefined);
    const until = ends.length > 0 ? Math.min(...ends) : undefined;
    const whose = {
      ...(from !== undefined && { from }),
      ...(sendTo !== undefined && { sendTo: withSecretState(sendTo) }),
    };
    if (writer.hasSecret(whose))
      throw new ToolError('secret_refused', `ctx.waitFor(${JSON.stringify(key)}): ${noSecret}`);
    await writer.record(callbackKeys.wait(key), { ...(until !== undefined && { until }), ...whose });
    return until;
  }

  /** @throws ToolError if the address would not lead the browser back to this callback */
  async #requireState(key: string, sendTo: string, door: string): Promise<void> {
    const { session, call } = this.#parts.writer;
    const place = { sessionId: session.id, toolCallId: call.toolCallId, key };
    const back = await this.#services.callbacks.returnAddressOf(place);
    if (stateOf(sendTo) === stateOf(back)) return;
    throw new ToolError('tool_error', `${door}: sendTo: must have the "state" of the address that ctx.callback gave.`);
  }

  /** Resolves with the outcome in the log, whoever caused it. */
  #await(key: string, until: Instant | undefined, givenUp: AbortSignal | undefined): Promise<CallbackOutcome> {
    const { session, call } = this.#parts.writer;
    return new Promise((resolve) => {
      const stops: (() => void)[] = [];
      const end = (outcome?: CallbackOutcome) => {
        for (const stop of stops) stop();
        if (outcome) resolve(outcome);
      };
      const look = (head: Head) => {
        const outcome = this.#findOutcome(key, head);
        if (outcome) end(outcome);
      };
      stops.push(session.observe({ onChange: ({ after }) => look(after) }));
      if (until !== undefined) stops.push(runAt(until, this.#services.host.node, () => this.#end(key, 'timeout')));
      const leave = () => end();
      this.#signal.addEventListener('abort', leave, { once: true });
      stops.push(() => this.#signal.removeEventListener('abort', leave));
      const giveUp = () => this.#end(key, 'withdrawn');
      givenUp?.addEventListener('abort', giveUp, { once: true });
      stops.push(() => givenUp?.removeEventListener('abort', giveUp));
      if (this.#signal.aborted || !findCall(session.head, call.toolCallId)) return leave();
      if (givenUp?.aborted) giveUp();
      // the callback may have been settled while the wait was recorded
      const flushed = session.flushed().then(() => look(session.head));
      flushed.catch(() => undefined); // later changes are still observed
    });
  }

  /** Settles the callback without a post; if one arrives at the same time, whichever is stored first wins. */
  #end(key: string, outcome: Exclude<CallbackOutcome, 'received'>): void {
    const { session, call } = this.#parts.writer;
    const { toolCallId } = call;
    session.persist({ type: 'settle_callback', toolCallId, key, outcome }).catch((error: unknown) => {
      this.#services.host.log.debug({ toolCallId, error }, 'a callback arrived just before its wait ended');
    });
  }

  #findOutcome(key: string, head: Head): CallbackOutcome | undefined {
    const { toolCallId } = this.#parts.writer.call;
    return findCall(head, toolCallId)?.callbacks?.find((settled) => settled.key === key)?.outcome;
  }

  async #readPosted(key: string): Promise<Json> {
    const { session, call } = this.#parts.writer;
    const unkept = this.#unkept.get(callbackKeys.posted(key));
    if (unkept !== undefined) return unkept;
    const records = await this.#services.host.store.index.records(session.id, call.toolCallId);
    const posted = records.find((record) => record.key === callbackKeys.posted(key));
    if (!posted) throw new ToolError('call_closed', 'The call is over.');
    if (!isDeepStrictEqual(posted.value, redacted)) return posted.value;
    const words = `What was posted to "${key}" contained a secret that a person typed, and was lost in the restart.`;
    throw new ToolError('interrupted', words);
  }

  /** Collects posts from the first address on: they may arrive before the call waits for them. */
  #hearUnkept(): void {
    const { session, call } = this.#parts.writer;
    const stop = session.observe({
      onChange: ({ posted }) => {
        if (posted?.toolCallId === call.toolCallId) this.#unkept.set(posted.key, posted.value);
      },
    });
    this.#signal.addEventListener('abort', stop, { once: true });
  }

  #requireNew(key: string, taken: { has(key: string): boolean }, door: string): void {
    if (taken.has(key)) throw callFaults.takenKey(door, key);
    this.#parts.writer.requireKey(key);
  }
}
