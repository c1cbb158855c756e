import type { CallResult, HeadChange, ToolCallId } from '@parleyhq/core';
import type { Client } from '../../runtime/tabs/client.ts';
import { frameOf } from '../../runtime/tabs/frame-batch.ts';
import { type CallOutcome, outcomeOf, storedOutcomeOf } from './call-outcome.ts';
import type { ResultRef, ResultsElsewhere, ResultTold, ResultWanted } from './results-elsewhere.ts';

/** How long a result is kept in memory with its secrets, in ms. */
export const freshMs = 60_000;

interface Fresh {
  readonly outcome: CallOutcome;
  readonly timer: NodeJS.Timeout;
  /** Number of readers that may still fetch it. */
  left: number;
}

/** A request that waits for a result. */
interface Waiting {
  wake(): void;
  /** Whether the caller itself waits; an operator that reads the result gets no secrets. */
  readonly isCallers: boolean;
}

type ResultChange = Pick<HeadChange, 'sessionId' | 'before' | 'events'> & {
  readonly isForeign: boolean;
  readonly unredacted?: CallResult | undefined;
};

/** Delivers results to external callers: to connected ones as a frame, and to waiting requests by waking them (ASK5). */
export class CallResults {
  readonly #clients: ReadonlySet<Client>;
  readonly #waiting = new Map<ToolCallId, Set<Waiting>>();
  readonly #fresh = new Map<ToolCallId, Fresh>();
  readonly #elsewhere: ResultsElsewhere;

  constructor(clients: ReadonlySet<Client>, elsewhere: ResultsElsewhere) {
    this.#clients = clients;
    this.#elsewhere = elsewhere;
  }

  follow({ sessionId, before, events, unredacted, isForeign }: ResultChange): void {
    for (const { type, payload, seq } of events) {
      if (type !== 'tool_result') continue;
      const { toolCallId } = payload;
      const { by, isLive } = before.calls.find((call) => call.toolCallId === toolCallId) ?? {};
      if (!by) continue;
      const outcome = unredacted ? outcomeOf(unredacted) : storedOutcomeOf(payload);
      // the result of a live call is for its request only
      const callers = [...this.#clients].filter(({ principal }) => principal.id === by.principal && !isLive);
      const isElsewhere = isForeign && outcome.delivered === false && callers.length > 0;
      const known = isElsewhere ? this.fetch({ sessionId, seq, toolCallId }, true) : undefined;
      const tell = (told: CallOutcome) => {
        const frame = frameOf({ type: 'call_result', sessionId, toolCallId, ...told });
        for (const client of callers) client.sendBatch(frame);
      };
      if (known) void known.then((told) => tell(told ?? outcome));
      else tell(outcome);
      const waiting = [...(this.#waiting.get(toolCallId) ?? [])];
      if (unredacted) this.#keep(toolCallId, outcome, waiting.filter(({ isCallers }) => isCallers).length + 1);
      for (const each of waiting) each.wake();
      this.#waiting.delete(toolCallId);
    }
  }

  /**
   * Takes a result with its secrets, which is available once for each caller that waited and for one more fetch within a minute
   * (ASK5).
   */
  take(toolCallId: ToolCallId): CallOutcome | undefined {
    const kept = this.#fresh.get(toolCallId);
    if (!kept) return undefined;
    kept.left -= 1;
    if (kept.left === 0) this.#drop(toolCallId);
    return kept.outcome;
  }

  /**
   * Fetches the same from the node that ran the call.
   * @param isWaiting - whether this caller waited here when the result arrived
   */
  async fetch(place: ResultRef, isWaiting: boolean): Promise<CallOutcome | undefined> {
    return this.#elsewhere.fetch(place, isWaiting);
  }

  /** Replies to a node whose caller waited for the result or fetches it. */
  onResultWanted(node: string, { request, toolCallId, isWaiting }: ResultWanted): void {
    const outcome = isWaiting ? this.#fresh.get(toolCallId)?.outcome : this.take(toolCallId);
    this.#elsewhere.reply(node, request, outcome);
  }

  onResultTold(node: string, message: ResultTold): void {
    this.#elsewhere.receive(node, message);
  }

  #keep(toolCallId: ToolCallId, outcome: CallOutcome, left: number): void {
    const timer = setTimeout(() => this.#drop(toolCallId), freshMs).unref();
    this.#fresh.set(toolCallId, { outcome, left, timer });
  }

  #drop(toolCallId: ToolCallId): void {
    clearTimeout(this.#fresh.get(toolCallId)?.timer);
    this.#fresh.delete(toolCallId);
  }

  /** Resolves when the call has its result, or `signal` aborts. */
  wait(toolCallId: ToolCallId, isCallers: boolean, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(toolCallId) ?? new Set();
      const wake = () => {
        signal.removeEventListener('abort', wake);
        waiting.delete(entry);
        if (waiting.size === 0) this.#waiting.delete(toolCallId);
        resolve();
      };
      const entry: Waiting = { wake, isCallers };
      this.#waiting.set(toolCallId, waiting.add(entry));
      signal.addEventListener('abort', wake, { once: true });
    });
  }
}
