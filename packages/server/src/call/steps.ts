import { randomUUID } from 'node:crypto';
import { callFaults, type Instant, isRecord, type Json, type Jsonified } from '@parleyhq/core';
import { countLimit, type ReachedLimit } from '../tools/limit-error.ts';
import { toResult } from '../tools/tool-result.ts';
import type { CallScope } from './call-scope.ts';
import type { CallWriter } from './call-writer.ts';
import type { Journal } from './journal.ts';
import { running, stepPrefix } from './step-record.ts';

export interface StepsOptions {
  readonly journal: Journal;
  readonly writer: CallWriter;
  readonly scope: CallScope;
  /** The time, and what counts a result that is too large. */
  readonly host: { now(): Instant; readonly reached: ReachedLimit };
}

/** What a handler does once, whatever happens to the process: values are recorded and stand on re-entry (DUR3). */
export class Steps {
  readonly #options: StepsOptions;
  readonly #begun = new Set<string>();
  readonly #counts = new Map<string, number>();

  constructor(options: StepsOptions) {
    this.#options = options;
  }

  /** The beginning is recorded before `fn` runs: a kill inside it is then known to be one (DUR4). */
  async run<T>(name: string, fn: () => T | Promise<T>): Promise<Jsonified<T>> {
    const key = `${stepPrefix}${name}`;
    if (this.#begun.has(key)) throw callFaults.takenStep(name);
    this.#begun.add(key);
    this.#options.writer.requireKey(name);
    const recorded = this.#options.journal.recorded(key);
    if (isRecord(recorded) && 'value' in recorded) return recorded.value as Jsonified<T>;
    await this.#record(key, running);
    const returned = await this.#options.scope
      .within(key, async () => fn())
      .catch(async (error: unknown) => {
        await this.#record(key, null).catch(() => undefined); // lost, the step is asked about (DUR4): the error matters more
        this.#begun.delete(key); // a throw is not recorded: the handler may try the step again
        throw error;
      });
    const value = countLimit(this.#options.host.reached, () =>
      toResult(returned, 'invalid_result', `the value of step "${name}"`),
    );
    await this.#record(key, { value }); // if this fails the step has happened all the same: it stays open, and is not run again in silence
    return value as Jsonified<T>;
  }

  now(): Instant {
    return this.#once('now', () => this.#options.host.now());
  }

  uuid(): string {
    return this.#once('uuid', randomUUID);
  }

  /** Recorded in order with whatever follows: a later event or step is stored only if the value is. */
  #once<T extends Json>(kind: string, make: () => T): T {
    const counter = `${kind}:${this.#options.scope.name}`;
    const count = (this.#counts.get(counter) ?? 0) + 1;
    this.#counts.set(counter, count);
    const key = `${counter}:${count}`;
    const recorded = this.#options.journal.recorded(key);
    if (recorded !== undefined) return recorded as T;
    const value = make();
    void this.#options.writer.recordGiven(key, value).catch(() => undefined); // the session logs a failed append, and whatever follows is stored with the value
    return value;
  }

  #record(key: string, value: Json): Promise<void> {
    return this.#options.writer.record(key, value); // mutant: step-record
  }
}
