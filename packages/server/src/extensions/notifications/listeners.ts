import type { ListenHost, PluginState } from '@parleyhq/core';
import type { Logger } from 'pino';
import type { Chat, Chats } from './chats.ts';

/** What a chat may ask for on behalf of its accounts. */
export type ChatDesk = Omit<ListenHost, 'config' | 'log' | 'state'>;

export interface ListenersOptions {
  readonly chats: Pick<Chats, 'all'>;
  readonly deskOf: (chat: Chat) => ChatDesk;
  readonly stateOf: (chat: Chat) => PluginState;
  readonly log: Logger;
}

/** In ms: delays before a listener is started again; a listener that ran for longer than the longest starts over with the first. */
const delaysMs = [1000, 2000, 5000, 15_000, 60_000];

/** In ms: how long a listener may take to stop. */
const stopMs = 2000;

/** Runs the notifiers that take answers, while this process is the one that notifies (CHAT1). */
export class Listeners {
  readonly #options: ListenersOptions;
  #running: { readonly stopping: AbortController; readonly done: Promise<unknown> } | undefined;

  constructor(options: ListenersOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#running) return;
    const stopping = new AbortController();
    const runs = this.#options.chats.all.map((chat) => this.#keepRunning(chat, stopping.signal));
    this.#running = { stopping, done: Promise.all(runs) };
  }

  /** Stops, and resolves once no listener runs any more, or it is too late to wait for one. */
  async stop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    running?.stopping.abort();
    await Promise.race([running?.done, pause(stopMs, new AbortController().signal)]);
  }

  async #keepRunning(chat: Chat, signal: AbortSignal): Promise<void> {
    const { deskOf, stateOf, log } = this.#options;
    for (let failures = 0; !signal.aborted; ) {
      const begun = performance.now();
      try {
        const host: ListenHost = { ...deskOf(chat), config: chat.config, log: chat.log, state: stateOf(chat) };
        await chat.notifier.listen?.(host, signal);
      } catch (error) {
        if (!signal.aborted) log.warn({ notifier: chat.way, error }, 'a chat cannot be listened to: trying again');
      }
      const ranMs = performance.now() - begun;
      failures = ranMs > Number(delaysMs.at(-1)) ? 0 : failures + 1;
      await pause(delaysMs[Math.min(failures, delaysMs.length) - 1] ?? 0, signal);
    }
  }
}

/** Resolves after a time, or when the signal aborts. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms).unref();
    signal.addEventListener('abort', end);
  });
}
