import type { CallOutcome, CallRunner } from './call-runner.ts';
import { mayRunAgain } from './gate.ts';
import { Journal } from './journal.ts';

/** Entries in a row that neither come to wait nor end: then the call is given up (DUR6). */
const maxEntries = 3;

/** A call of an earlier process is entered again: in silence where it only waited, else as its tool says (DUR2, DUR4). */
export class Entry {
  readonly #runner: CallRunner;
  #count = 0;
  #hasArrived = false;

  constructor(runner: CallRunner) {
    this.#runner = runner;
  }

  /** What the call ends with instead, if it must not be entered. */
  async begin(): Promise<CallOutcome | undefined> {
    const { runtime, call, journal } = this.#runner;
    const { toolName } = call;
    const tool = this.#runner.registered?.tool;
    if (!tool) {
      const words = `an open call needs the tool "${toolName}", which no plugin has now: it ends as orphaned`;
      runtime.log.warn({ toolCallId: call.toolCallId, tool: toolName }, words);
      return orphaned(`The server has no tool "${toolName}" any more.`);
    }
    if (tool.durable === false) return orphaned(`"${toolName}" cannot go on after a restart.`);
    if (call.parentToolCallId !== undefined) return orphaned('The sub-agent that called ended with the server.');
    const { isWaiting, entries } = journal;
    const before = isWaiting && entries.hasArrived ? 0 : entries.count;
    if (before >= maxEntries) return interrupted(`"${toolName}" stopped the server ${maxEntries} times.`);
    if (!isWaiting && !(await mayRunAgain(this.#runner, tool)))
      return interrupted('The server stopped while it was running.');
    this.#count = before + 1;
    await this.#record();
    return undefined;
  }

  /** The call waits for somebody again. Lost, this is one entry too many in the count. */
  arrive(): void {
    if (this.#hasArrived) return;
    this.#hasArrived = true;
    this.#record().catch((error: unknown) => {
      const { runtime, call } = this.#runner;
      runtime.log.warn({ toolCallId: call.toolCallId, error }, 'an entry could not be recorded');
    });
  }

  async #record(): Promise<void> {
    const { session, call } = this.#runner;
    await session.record([Journal.entryRecord(call.toolCallId, { count: this.#count, hasArrived: this.#hasArrived })]);
  }
}

function orphaned(message: string): CallOutcome {
  return { outcome: { error: { code: 'orphaned', message } }, isOrphaned: true };
}

function interrupted(message: string): CallOutcome {
  return { outcome: { error: { code: 'interrupted', message } } };
}
