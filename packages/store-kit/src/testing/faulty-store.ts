import {
  type Bus,
  type LoginCodeStore,
  type SharedStore,
  type Store,
  StoreError,
  type StoreErrorCode,
} from '@parleyhq/core';

type Ports = Omit<Store, 'epoch' | 'isRewound' | 'shared' | 'loginCodes' | 'bus' | 'close'>;

/** Replaces one method of a store; `proceed` calls the method with the arguments it was given. */
export type Interceptor<Method> = Method extends (...args: infer Args) => infer Result
  ? (proceed: () => Result, ...args: Args) => Result
  : never;

const reads: ReadonlySet<PropertyKey> = new Set([
  'read',
  'get',
  'list',
  'find',
  'records',
  'findChannel',
  'channelsOf',
  'findCall',
  'listCalls',
]);

/**
 * A store whose writes can be made to fail, and whose calls can be intercepted. Otherwise it behaves like the store it wraps, and
 * shares that store's state of several nodes.
 */
export class FaultyStore implements Store {
  /** While this is set, every write is rejected with it on the next turn of the event loop. */
  fault: StoreErrorCode | undefined;
  readonly events: Store['events'];
  readonly sessions: Store['sessions'];
  readonly heads: Store['heads'];
  readonly index: Store['index'];
  readonly grants: Store['grants'];
  readonly pluginState: Store['pluginState'];
  readonly logins: Store['logins'];
  readonly tokens: Store['tokens'];
  readonly links: Store['links'];
  readonly passkeys: Store['passkeys'];
  readonly audit: Store['audit'];
  readonly outside: Store['outside'];
  readonly devices: Store['devices'];
  readonly deliveries: Store['deliveries'];
  readonly statistics: Store['statistics'];
  readonly shared?: SharedStore;
  readonly loginCodes?: LoginCodeStore;
  readonly bus?: Bus;
  readonly #store: Store;
  readonly #interceptors = new Map<string, Interceptor<(...args: unknown[]) => unknown>>();

  constructor(store: Store) {
    this.#store = store;
    this.events = this.#wrap('events');
    this.sessions = this.#wrap('sessions');
    this.heads = this.#wrap('heads');
    this.index = this.#wrap('index');
    this.grants = this.#wrap('grants');
    this.pluginState = this.#wrap('pluginState');
    this.logins = this.#wrap('logins');
    this.tokens = this.#wrap('tokens');
    this.links = this.#wrap('links');
    this.passkeys = this.#wrap('passkeys');
    this.audit = this.#wrap('audit');
    this.outside = this.#wrap('outside');
    this.devices = this.#wrap('devices');
    this.deliveries = this.#wrap('deliveries');
    this.statistics = this.#wrap('statistics');
    const { shared, loginCodes, bus } = store;
    Object.assign(this, shared && { shared }, loginCodes && { loginCodes }, bus && { bus });
  }

  get epoch(): Store['epoch'] {
    return this.#store.epoch;
  }

  get isRewound(): boolean {
    return this.#store.isRewound;
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  /** Runs `interceptor` in place of one method from now on; a second interceptor of a method replaces the first. */
  intercept<Name extends keyof Ports, Method extends keyof Ports[Name] & string>(
    port: Name,
    method: Method,
    interceptor: Interceptor<Ports[Name][Method]>,
  ): void {
    this.#interceptors.set(`${port}.${method}`, interceptor as Interceptor<(...args: unknown[]) => unknown>);
  }

  #wrap<Name extends keyof Ports>(name: Name): Ports[Name] {
    return new Proxy(this.#store[name], {
      get: (port, method) => {
        const original: unknown = Reflect.get(port, method, port);
        if (typeof original !== 'function') return original;
        return (...args: unknown[]) => {
          if (this.fault && !reads.has(method)) return rejectSoon(this.fault);
          const proceed = () => Reflect.apply(original, port, args);
          const interceptor = this.#interceptors.get(`${name}.${String(method)}`);
          return interceptor ? interceptor(proceed, ...args) : proceed();
        };
      },
    });
  }
}

async function rejectSoon(code: StoreErrorCode): Promise<never> {
  await new Promise((resolve) => setImmediate(resolve));
  throw new StoreError(code, `made to fail: ${code}`);
}
