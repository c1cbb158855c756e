import type { Append, EventStore, Seq, SessionId, Store } from '@parleyhq/core';

/** An event store that reports how long each append took, in seconds. */
class TimedEventStore implements EventStore {
  readonly #store: EventStore;
  readonly #observe: (seconds: number) => void;

  constructor(store: EventStore, observe: (seconds: number) => void) {
    this.#store = store;
    this.#observe = observe;
  }

  append(change: Append): Promise<void> {
    const begun = performance.now();
    return this.#store.append(change).then(() => this.#observe((performance.now() - begun) / 1000));
  }

  read(sessionId: SessionId, afterSeq: Seq, limit?: number): AsyncIterable<readonly string[]> {
    return this.#store.read(sessionId, afterSeq, limit);
  }
}

/** Returns the store with its appends timed. */
export function timeAppends(store: Store, observe: (seconds: number) => void): Store {
  const { epoch, isRewound, sessions, heads, index, grants, pluginState, logins, tokens, audit, outside } = store;
  const { devices, deliveries, links, passkeys, statistics, shared, loginCodes, bus } = store;
  const events = new TimedEventStore(store.events, observe);
  const close = () => store.close();
  return {
    epoch,
    isRewound,
    events,
    sessions,
    heads,
    index,
    grants,
    pluginState,
    logins,
    tokens,
    links,
    passkeys,
    audit,
    outside,
    devices,
    deliveries,
    statistics,
    ...(shared && { shared }),
    ...(loginCodes && { loginCodes }),
    ...(bus && { bus }),
    close,
  };
}
