import { type DoorEnd, RefusalError, ToolError, type WireErrorCode } from '@parleyhq/core';
import { noLongerWaiting } from '../extensions/programs/program-calls.ts';

const ends = {
  disconnected: { code: 'retry_later', words: 'The caller is no longer connected.' },
  unauthorised: { code: 'unauthorised', words: "The caller's token or log-in has ended." },
  timeout: { code: 'internal', words: 'The door took too long.' },
  stopped: { code: 'retry_later', words: 'The server stops.' },
} as const satisfies Record<DoorEnd, { code: WireErrorCode; words: string }>;

/** How long a request at a door may take. */
export interface DoorTime {
  readonly signal: AbortSignal;
  /** Why it ended early; undefined if it has not. */
  readonly end: DoorEnd | undefined;
  /** Resolves with the work unless the time ends first. At a stop the work continues, as long as the server waits for it. */
  limit<T>(work: Promise<T>): Promise<T>;
  /** Returns a signal that aborts with the request, unless the server stops, or with `signal`; its reason is a note for people. */
  untilWithdrawn(signal: AbortSignal | undefined): AbortSignal;
  /** Ends the request once its caller's token has ended. */
  endWith(tokenEnded: AbortSignal): void;
  stop(): void;
}

/** @param sources - what can end a request early; `timeoutMs` is in ms, null for no limit */
export function makeDoorTime(sources: {
  readonly closed: AbortSignal;
  readonly stopping: AbortSignal;
  readonly timeoutMs: number | null;
}): DoorTime {
  const { closed, stopping, timeoutMs } = sources;
  const over = new AbortController();
  let end: DoorEnd | undefined;
  let cut: (error: Error) => void = () => undefined;
  const isCut = new Promise<never>((_, reject) => {
    cut = reject;
  });
  isCut.catch(() => undefined);
  const finish = (reason: DoorEnd) => {
    end ??= reason;
    over.abort(new ToolError(reason, ends[reason].words));
    if (reason !== 'stopped') cut(new RefusalError(ends[reason].code));
  };
  const listening = new AbortController();
  const listen = (source: AbortSignal, reason: DoorEnd) => {
    if (source.aborted) finish(reason);
    else source.addEventListener('abort', () => finish(reason), { signal: listening.signal });
  };
  listen(stopping, 'stopped');
  listen(closed, 'disconnected');
  const timer = timeoutMs === null ? undefined : setTimeout(() => finish('timeout'), timeoutMs);
  return {
    signal: over.signal,
    get end() {
      return end;
    },
    limit: (work) => Promise.race([work, isCut]),
    untilWithdrawn(signal) {
      const withdrawn = new AbortController();
      const withdraw = () => {
        if (end === 'stopped') return;
        const reason = signal?.aborted ? signal.reason : undefined;
        withdrawn.abort(typeof reason === 'string' ? reason : noLongerWaiting);
      };
      const all = signal ? AbortSignal.any([over.signal, signal]) : over.signal;
      all.addEventListener('abort', withdraw);
      if (all.aborted) withdraw();
      return withdrawn.signal;
    },
    endWith: (tokenEnded) => listen(tokenEnded, 'unauthorised'),
    stop() {
      clearTimeout(timer);
      listening.abort();
    },
  };
}
