import type { HeadChange, ToolCallId } from '@parleyhq/core';
import type { Client } from '../tabs/client.ts';
import { frameOf } from '../tabs/frame-batch.ts';

/** Tells callers outside what became of their calls: those connected by a frame, those that wait by waking them (ASK5). */
export class CallResults {
  readonly #clients: ReadonlySet<Client>;
  readonly #waiting = new Map<ToolCallId, Set<() => void>>();

  constructor(clients: ReadonlySet<Client>) {
    this.#clients = clients;
  }

  follow({ sessionId, before, events }: Pick<HeadChange, 'sessionId' | 'before' | 'events'>): void {
    for (const { type, payload } of events) {
      if (type !== 'tool_result') continue;
      const { toolCallId, result = null, error } = payload;
      const by = before.calls.find((call) => call.toolCallId === toolCallId)?.by;
      if (!by) continue;
      const frame = frameOf({ type: 'call_result', sessionId, toolCallId, ...(error ? { error } : { result }) });
      for (const client of this.#clients) if (client.principal.id === by.principal) client.sendBatch(frame);
      for (const wake of this.#waiting.get(toolCallId) ?? []) wake();
      this.#waiting.delete(toolCallId);
    }
  }

  /** Resolves when the call has its result, or `signal` aborts. */
  wait(toolCallId: ToolCallId, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(toolCallId) ?? new Set();
      const wake = () => {
        signal.removeEventListener('abort', wake);
        waiting.delete(wake);
        if (waiting.size === 0) this.#waiting.delete(toolCallId);
        resolve();
      };
      this.#waiting.set(toolCallId, waiting.add(wake));
      signal.addEventListener('abort', wake, { once: true });
    });
  }
}
