import { type ChatEvent, type OutsideCall, resultKey, type Store, type ToolCallId } from '@parleyhq/core';
import { type Change, type Client, frameOf } from '@parleyhq/runtime';
import type { CallFiles } from './call-files.ts';
import { type CallOutcome, outcomeOf, storedOutcomeOf } from './call-outcome.ts';
import type { FreshResults } from './fresh-results.ts';

/** Somebody that waits for a result. */
interface Waiting {
  wake(): void;
  /** Whether the caller itself waits; an operator that reads the result gets no secrets. */
  readonly isCallers: boolean;
}

export interface ResultBoardOptions {
  readonly clients: ReadonlySet<Client>;
  readonly index: Store['index'];
  readonly fresh: FreshResults;
  readonly files: CallFiles;
}

/**
 * Delivers results to programs once they are stored, whichever node ran their calls: to connected programs as a frame, to waiting
 * requests by waking them (ASK5).
 */
export class ResultBoard {
  readonly #options: ResultBoardOptions;
  readonly #waiting = new Map<ToolCallId, Set<Waiting>>();

  constructor(options: ResultBoardOptions) {
    this.#options = options;
  }

  follow({ before, events, unredacted, isForeign }: Change): void {
    for (const event of events) {
      if (event.type !== 'tool_result') continue;
      const { toolCallId } = event.payload;
      const { by, isLive } = before.calls.find((call) => call.toolCallId === toolCallId) ?? {};
      if (!by) continue;
      const known = unredacted ? outcomeOf(unredacted) : storedOutcomeOf(event.payload);
      const outcome = this.#options.files.addTo(known, event);
      // the result of a live call is for its request only
      if (!isLive) this.#send(event, { to: by.principal, outcome, isForeign });
      this.#wake(toolCallId, unredacted && outcome);
    }
  }

  /**
   * Returns the outcome of a call; undefined while it is open. Secrets in it are only for its caller, while they are in memory
   * (ASK5).
   * @param isWaiting - whether the reader waited here when the result arrived
   */
  async read(call: OutsideCall, reader = call.principal, isWaiting = false): Promise<CallOutcome | undefined> {
    const { index, fresh, files } = this.#options;
    const [text] = await index.find(call.sessionId, resultKey(call.toolCallId));
    if (text === undefined) return undefined;
    const event: ChatEvent<'tool_result'> = JSON.parse(text);
    const outcome = files.addTo(storedOutcomeOf(event.payload), event);
    const mayHaveSecrets = outcome.delivered === false && reader === call.principal;
    return (mayHaveSecrets && (await fresh.take(event, isWaiting))) || outcome;
  }

  /** Returns the outcome of a call as soon as there is one; undefined if `until` aborts first. */
  async wait(call: OutsideCall, until: AbortSignal, reader = call.principal): Promise<CallOutcome | undefined> {
    const over = new AbortController();
    // before reading, so that no result is missed
    const woken = this.#register(call.toolCallId, reader === call.principal, AbortSignal.any([over.signal, until]));
    try {
      const known = await this.read(call, reader);
      if (known || until.aborted) return known;
      await woken;
      return await this.read(call, reader, true);
    } finally {
      over.abort();
    }
  }

  /** Sends a result to the connections of a caller, with the secrets that another node may have. */
  #send(
    event: ChatEvent<'tool_result'>,
    { to, outcome, isForeign }: { readonly to: string; readonly outcome: CallOutcome; readonly isForeign: boolean },
  ): void {
    const { clients, fresh } = this.#options;
    const callers = [...clients].filter(({ principal }) => principal.id === to);
    const { sessionId, payload } = event;
    const send = (sent: CallOutcome) => {
      const frame = frameOf({ type: 'call_result', sessionId, toolCallId: payload.toolCallId, ...sent });
      for (const client of callers) client.sendBatch(frame);
    };
    const isElsewhere = isForeign && outcome.delivered === false && callers.length > 0;
    if (isElsewhere) void fresh.take(event, true).then((fetched) => send(fetched ?? outcome));
    else send(outcome);
  }

  /** Wakes whoever waits for a call. @param secret - the outcome with its secrets, if it has any and this node ran the call */
  #wake(toolCallId: ToolCallId, secret: CallOutcome | undefined): void {
    const waiting = [...(this.#waiting.get(toolCallId) ?? [])];
    const readers = waiting.filter(({ isCallers }) => isCallers).length + 1;
    if (secret) this.#options.fresh.keep(toolCallId, secret, readers);
    for (const each of waiting) each.wake();
  }

  /** Resolves when the call has its result, or `signal` aborts. */
  #register(toolCallId: ToolCallId, isCallers: boolean, signal: AbortSignal): Promise<void> {
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
