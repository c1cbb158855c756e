import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { type Instant, isRecord, type Json, ToolError } from '@parleyhq/core';
import { countLimit } from '../tools/limit-error.ts';
import { toResult } from '../tools/tool-result.ts';
import type { CallRunner } from './call-runner.ts';

/** A step that began and whose end nobody has recorded. */
const running = { running: true } as const;

const stepPrefix = 'step:';

/** Whether a record leaves open what a step did: it may have happened, and there is no value to go on with (DUR4, INT17). */
export function isOpenStep(key: string, record: Json): boolean {
  return key.startsWith(stepPrefix) && isRecord(record) && !('value' in record);
}

/** What a handler does once, whatever happens to the process: values are recorded and stand on re-entry (DUR3). */
export class Steps {
  readonly #call: CallRunner;
  readonly #begun = new Set<string>();
  /** The step or hook that the caller is in: skipped on re-entry, it must not shift what is counted after it. */
  readonly #scope = new AsyncLocalStorage<string>();
  readonly #counts = new Map<string, number>();

  constructor(call: CallRunner) {
    this.#call = call;
  }

  /** The beginning is recorded before `fn` runs: a kill inside it is then known to be one (DUR4). */
  async run<T>(name: string, fn: () => T | Promise<T>): Promise<T> {
    const key = `${stepPrefix}${name}`;
    if (this.#begun.has(key)) throw new ToolError('tool_error', `Two steps of this call have the key "${name}".`);
    this.#begun.add(key);
    const recorded = this.#call.journal.recorded(key);
    if (isRecord(recorded) && 'value' in recorded) return recorded.value as T;
    await this.#record(key, running);
    try {
      const returned = await this.within(key, async () => fn());
      const value = countLimit(this.#call.runtime, () => toResult(returned));
      await this.#record(key, { value });
      return value as T;
    } catch (error) {
      await this.#record(key, null);
      this.#begun.delete(key); // a throw is not recorded: the handler may try the step again
      throw error;
    }
  }

  /** Runs what a re-entry may skip: it counts by itself. */
  within<T>(scope: string, fn: () => Promise<T>): Promise<T> {
    return this.#scope.run(scope, fn);
  }

  now(): Instant {
    return this.#once('now', () => this.#call.runtime.now());
  }

  uuid(): string {
    return this.#once('uuid', randomUUID);
  }

  /** Recorded in order with whatever follows: a later event stands in the log only if the value does. */
  #once<T extends Json>(kind: string, make: () => T): T {
    const counter = `${kind}:${this.#scope.getStore() ?? ''}`;
    const count = (this.#counts.get(counter) ?? 0) + 1;
    this.#counts.set(counter, count);
    const key = `${counter}:${count}`;
    const recorded = this.#call.journal.recorded(key);
    if (recorded !== undefined) return recorded as T;
    const value = make();
    void this.#record(key, value).catch(() => undefined); // the writer has logged it; what follows fails with it
    return value;
  }

  #record(key: string, value: Json): Promise<void> {
    return this.#call.record(key, value); // mutant: step-record
  }
}
