import { ToolError } from '../basics/error.ts';
import type { Json, JsonSchema } from '../basics/json.ts';
import { describeMisfit, findMismatch, readSchema, requireReadable } from '../plugin/schemas.ts';
import type { CallbackOptions, WaitOptions } from '../plugin/tool.ts';
import { withdrawn } from '../plugin/withdrawal.ts';
import type { Parameters } from '../schema/standard-schema.ts';
import { type Stage, settle } from './stage.ts';

/** A callback of a played call. It survives a crash, like a server's. */
interface Callback {
  schema: JsonSchema | undefined;
  readonly until: number | undefined;
  waitUntil?: number | null;
  outcome?: { readonly value: Json } | 'timeout' | 'withdrawn';
}

/** The callbacks of a played call, by key (PLG11). */
export class PlayedCallbacks {
  readonly #stage: Stage;
  readonly #callbacks = new Map<string, Callback>();
  readonly #watchers = new Set<() => void>();
  #isOver = false;

  constructor(stage: Stage) {
    this.#stage = stage;
    stage.addClock({ nextAt: () => this.#nextAt(), pass: (now) => this.#expire(now) });
  }

  /** Keys of the callbacks whose addresses the tool requested. */
  get keys(): readonly string[] {
    return [...this.#callbacks.keys()];
  }

  open(toolCallId: string, key: string, { schema, ttlMs, browser }: CallbackOptions): string {
    const known = this.#callbacks.get(key);
    const door = `ctx.callback(${JSON.stringify(key)})`;
    const read = schema && readSchema(schema, door);
    if (read) requireReadable(read, door);
    const jsonSchema = read?.jsonSchema;
    if (known) known.schema = jsonSchema;
    else {
      const until = ttlMs === undefined ? undefined : this.#stage.now + ttlMs;
      this.#callbacks.set(key, { schema: jsonSchema, until });
    }
    this.#wake();
    const token = encodeURIComponent(`${toolCallId}.${key}`);
    return browser ? `https://parley.test/return?state=${token}` : `https://parley.test/callbacks/${token}`;
  }

  async wait(key: string, schema: Parameters | undefined, { timeoutMs = null, signal }: WaitOptions): Promise<unknown> {
    const door = `ctx.waitFor(${JSON.stringify(key)})`;
    const callback = this.#callbacks.get(key);
    if (!callback) throw new ToolError('tool_error', `${door}: ctx.callback(${JSON.stringify(key)}) comes first.`);
    const read = schema && readSchema(schema, door);
    if (callback.waitUntil === undefined) {
      const ends = [callback.until, timeoutMs === null ? undefined : this.#stage.now + timeoutMs];
      const known = ends.filter((end) => end !== undefined);
      callback.waitUntil = known.length > 0 ? Math.min(...known) : null;
      this.#wake();
    }
    const giveUp = () => {
      callback.outcome ??= 'withdrawn';
      this.#wake();
    };
    signal?.addEventListener('abort', giveUp, { once: true });
    if (signal?.aborted) giveUp();
    while (!callback.outcome) await this.#next();
    if (callback.outcome === 'withdrawn') throw withdrawn(signal);
    if (callback.outcome === 'timeout') throw new ToolError('timeout', `Nobody called back "${key}" in time.`);
    const { value } = callback.outcome;
    if (!read) return value;
    const result = await read.schema['~standard'].validate(value);
    if (!result.issues) return result.value;
    throw new ToolError('tool_error', `${door}: what came does not fit: ${describeMisfit(result.issues)}`);
  }

  /** Calls back like an outside program. @throws Error if a server would refuse it */
  async post(key: string, value: Json): Promise<void> {
    const refuse = (words: string) => new Error(`The callback "${key}": ${words}`);
    while (!this.#isOver && !this.#callbacks.has(key)) await this.#next();
    await settle(); // let the tool reach its wait, as it would while an outside program takes its time
    const callback = this.#callbacks.get(key);
    const isLate = callback?.until !== undefined && callback.until <= this.#stage.now;
    if (!callback || callback.outcome || isLate || this.#isOver)
      throw refuse('it has ended, or its address was never requested (a server answers 410).');
    const misfit = await findMismatch(callback.schema, value);
    if (misfit !== undefined) throw refuse(`it does not take this (a server answers 400): ${misfit}`);
    callback.outcome = { value: structuredClone(value) };
    this.#wake();
  }

  /** Resolves once the tool waits for the callback. @throws Error if the call ends first */
  async waiting(key: string): Promise<void> {
    while (this.#callbacks.get(key)?.waitUntil === undefined) {
      if (this.#isOver) throw new Error(`The call ended, and did not wait for "${key}".`);
      await this.#next();
    }
  }

  /** Ends all callbacks with the call. */
  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  #nextAt(): number | undefined {
    const open = [...this.#callbacks.values()].filter(({ outcome }) => !outcome);
    const ends = open.map(({ waitUntil }) => waitUntil ?? Number.POSITIVE_INFINITY);
    return this.#isOver || ends.length === 0 ? undefined : Math.min(...ends);
  }

  #expire(now: number): void {
    for (const callback of this.#callbacks.values()) {
      if (!callback.outcome && (callback.waitUntil ?? Number.POSITIVE_INFINITY) <= now) callback.outcome = 'timeout';
    }
    this.#wake();
  }

  #next(): Promise<void> {
    return new Promise((resolve) => {
      this.#watchers.add(resolve);
    });
  }

  #wake(): void {
    for (const wake of this.#watchers) wake();
    this.#watchers.clear();
  }
}
