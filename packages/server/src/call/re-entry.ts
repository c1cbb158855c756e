import { type CallResult, callFaults, type Tool } from '@parleyhq/core';
import type { Logger } from 'pino';
import type { CallWriter } from './call-writer.ts';
import { Journal } from './journal.ts';

/** How a call ends. */
export interface CallEnd {
  readonly returned: CallResult;
  readonly isOrphaned?: boolean;
}

/** Re-entries in a row that neither come to wait nor end: then the call is given up (DUR6). */
const maxReEntries = 3;

export interface ReEntryOptions {
  readonly writer: CallWriter;
  readonly journal: Journal;
  readonly log: Logger;
  /** Whether a call that a stop cut off may run again: its tool decides, or a person (DUR4). */
  readonly mayRunAgain: (tool: AnyTool) => Promise<boolean>;
}

// biome-ignore lint/suspicious/noExplicitAny: tools of all arguments are entered again
type AnyTool = Tool<any>;

/** A call of an earlier process is entered again: in silence where it only waited, else as its tool says (DUR2, DUR4). */
export class ReEntry {
  readonly #options: ReEntryOptions;
  #count = 0;
  #hasArrived = false;

  constructor(options: ReEntryOptions) {
    this.#options = options;
  }

  /** What the call ends with instead, if it must not be entered. */
  async begin(tool: AnyTool | undefined): Promise<CallEnd | undefined> {
    const { writer, journal, log, mayRunAgain } = this.#options;
    const { toolCallId, toolName, parentToolCallId } = writer.call;
    if (!tool) {
      const words = `an open call needs the tool "${toolName}", which no plugin has now: it ends as orphaned`;
      log.warn({ toolCallId, tool: toolName }, words);
      return orphaned(`The server has no tool "${toolName}" any more.`);
    }
    if (tool.durable === false) return orphaned(callFaults.notDurable(toolName).message);
    if (parentToolCallId !== undefined) return orphaned('The sub-agent that called ended with the server.');
    const { isWaiting, entries } = journal;
    const before = isWaiting && entries.hasArrived ? 0 : entries.count;
    if (before >= maxReEntries) return interrupted(`"${toolName}" stopped the server ${maxReEntries} times.`);
    if (!isWaiting && !(await mayRunAgain(tool))) return interrupted(callFaults.interrupted().message);
    this.#count = before + 1;
    await this.#record();
    return undefined;
  }

  /** The call waits for somebody again. If this record is lost, the count is one too high. */
  arrive(): void {
    if (this.#hasArrived) return;
    this.#hasArrived = true;
    this.#record().catch((error: unknown) => {
      const { log, writer } = this.#options;
      log.warn({ toolCallId: writer.call.toolCallId, error }, 'a re-entry could not be recorded');
    });
  }

  async #record(): Promise<void> {
    const { session, call } = this.#options.writer;
    await session.record([Journal.entryRecord(call.toolCallId, { count: this.#count, hasArrived: this.#hasArrived })]);
  }
}

function orphaned(message: string): CallEnd {
  return { returned: { error: { code: 'orphaned', message } }, isOrphaned: true };
}

function interrupted(message: string): CallEnd {
  return { returned: { error: { code: 'interrupted', message } } };
}
