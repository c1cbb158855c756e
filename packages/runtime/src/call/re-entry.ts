import { type CallResult, callFaults } from '@parleyhq/core';
import type { Logger } from 'pino';
import type { RegisteredTool } from '../tools/tool-registry.ts';
import type { CallWriter } from './call-writer.ts';
import { Journal } from './journal.ts';
import type { ReEntries } from './re-entries.ts';
import type { RunAgain } from './rerun.ts';

/** How a call ends. */
export interface CallEnd {
  readonly returned: CallResult;
  readonly isOrphaned?: boolean;
}

/** Careful re-entries of a call, in a row, that end the server before the call is given up (DUR6). */
const mostDeaths = 3;

export interface ReEntryOptions {
  readonly writer: CallWriter;
  readonly journal: Journal;
  /** Whether a node that was presumed dead has acted on what woke the call. */
  readonly isActedOn: boolean;
  readonly reEntries: ReEntries;
  readonly log: Logger;
  /** Aborts when the call is over or runs in another process. */
  readonly signal: AbortSignal;
  /** Whether an interrupted call may run again: its tool or a person decides (DUR4). */
  readonly mayRunAgain: (registered: RegisteredTool) => Promise<RunAgain>;
}

/** Re-enters a call of an earlier process: silently if it only waited, otherwise as its tool decides (DUR2, DUR4). */
export class ReEntry {
  readonly #options: ReEntryOptions;
  /** Ends the call's exclusive entry. */
  #release: () => void = () => undefined;
  #isCounted = false;
  #longest: NodeJS.Timeout | undefined;

  constructor(options: ReEntryOptions) {
    this.#options = options;
  }

  /** Resolves when the call's code may run, or with the result that the call ends with instead. */
  async begin(registered: RegisteredTool | undefined): Promise<CallEnd | undefined> {
    const { writer, journal, isActedOn, reEntries, log, signal, mayRunAgain } = this.#options;
    const { toolCallId, toolName, parentToolCallId } = writer.call;
    if (!registered) {
      const words = `an open call needs the tool "${toolName}", which no plugin has now: it ends as orphaned`;
      log.warn({ toolCallId, tool: toolName }, words);
      return orphaned(`The server has no tool "${toolName}" any more.`);
    }
    if (registered.tool.durable === false) return orphaned(callFaults.notDurable(toolName).message);
    if (parentToolCallId !== undefined) return orphaned('The sub-agent that called ended with the server.');
    const { isWaiting, deaths } = journal;
    if (deaths >= mostDeaths) {
      log.error(
        { toolCallId, tool: toolName, deaths },
        'a call is given up: the server ended each time it was entered',
      );
      return interrupted(
        `"${toolName}" stopped the server ${mostDeaths} times, when this call alone was entered again.`,
      );
    }
    const again: RunAgain = isWaiting && !isActedOn ? { mayRun: true } : await mayRunAgain(registered);
    if (!again.mayRun) return interrupted(callFaults.interrupted().message);
    this.#release = await reEntries.pass(deaths > 0);
    if (signal.aborted) return interrupted(callFaults.interrupted().message); // the call ended while it waited for its turn
    if (reEntries.isCareful) await this.#count(deaths + 1);
    this.#isCounted = reEntries.isCareful || deaths > 0;
    this.#longest = setTimeout(() => this.arrive(), reEntries.steadyMs).unref();
    if (again.asked !== undefined) await writer.acknowledge(again.asked);
    return undefined;
  }

  /** Ends the entry: the call waits again or has ended. */
  arrive(): void {
    this.#release();
    clearTimeout(this.#longest);
    if (!this.#isCounted) return;
    this.#isCounted = false;
    void this.#record(0);
  }

  /** Counts the entry before the call's code runs. If the server survives long enough, the count is reset. */
  async #count(deaths: number): Promise<void> {
    const { writer, log } = this.#options;
    const { toolCallId, toolName: tool } = writer.call;
    log.info({ sessionId: writer.session.id, toolCallId, tool, before: deaths - 1 }, 'a call is entered alone');
    await this.#record(deaths);
  }

  #record(deaths: number): Promise<void> {
    const { session, call } = this.#options.writer;
    return session.keep([Journal.deathsRecord(call.toolCallId, deaths)]);
  }
}

function orphaned(message: string): CallEnd {
  return { returned: { error: { code: 'orphaned', message } }, isOrphaned: true };
}

function interrupted(message: string): CallEnd {
  return { returned: { error: { code: 'interrupted', message } } };
}
