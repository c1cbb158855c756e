import { callFaults, type Instant, isRecord, type Json, type Jsonified } from '@parleyhq/core';
import type { Node } from '../node/node.ts';
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
  readonly node: Pick<Node, 'now' | 'uuid'>;
  readonly reached: ReachedLimit;
}

/** Work that a handler does once, whatever happens to the process: its values are recorded and reused on re-entry (DUR3). */
export class Steps {
  readonly #options: StepsOptions;
  readonly #begun = new Set<string>();
  readonly #counts = new Map<string, number>();

  constructor(options: StepsOptions) {
    this.#options = options;
  }

  /** Runs a step. Its beginning is recorded before `fn` runs, so that a kill inside it is recognised (DUR4). */
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
        // if this is lost, a person is asked about the step (DUR4); the error matters more
        await this.#record(key, null).catch(() => undefined);
        this.#begun.delete(key); // an error is not recorded: the handler may run the step again
        throw error;
      });
    const value = countLimit(this.#options.reached, () =>
      toResult(returned, 'invalid_result', `the value of step "${name}"`),
    );
    await this.#record(key, { value }); // if this fails, the step has still happened: it stays open and is not silently run again
    return value as Jsonified<T>;
  }

  now(): Instant {
    return this.#once('now', () => this.#options.node.now());
  }

  uuid(): string {
    return this.#once('uuid', () => this.#options.node.uuid());
  }

  /**
   * Returns a recorded value. It is recorded in order with what follows: a later event or step is stored only together with it.
   */
  #once<T extends Json>(kind: string, make: () => T): T {
    const counter = `${kind}:${this.#options.scope.name}`;
    const count = (this.#counts.get(counter) ?? 0) + 1;
    this.#counts.set(counter, count);
    const key = `${counter}:${count}`;
    const recorded = this.#options.journal.recorded(key);
    if (recorded !== undefined) return recorded as T;
    const value = make();
    // the session logs a failed append, and the value is stored with whatever follows
    void this.#options.writer.recordGiven(key, value).catch(() => undefined);
    return value;
  }

  #record(key: string, value: Json): Promise<void> {
    return this.#options.writer.record(key, value); // mutant: step-record
  }
}
