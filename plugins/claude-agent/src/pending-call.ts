import { Deferred } from './deferred.ts';

/** What a call came to, as the model reads it. */
export interface Outcome {
  readonly text: string;
  readonly isError: boolean;
}

/** Why the SDK wants somebody's permission, and what it would suggest to allow from now on. */
export interface Asked {
  readonly reason?: string;
  readonly suggestions: readonly string[];
}

export type Decision =
  | { readonly kind: 'allow'; readonly input: unknown }
  | { readonly kind: 'deny'; readonly message: string }
  /** The result of a tool of Parley's. */
  | { readonly kind: 'reply'; readonly outcome: Outcome }
  /** Nobody has decided yet, and the process need not wait for it. */
  | { readonly kind: 'defer' };

/** One call of the model inside a process of the SDK, from both sides. */
export class PendingCall {
  readonly id: string;
  /** `queued` until the SDK comes to it, `held` while it waits for us, `running` once it may run. */
  state: 'queued' | 'held' | 'running' | 'done' = 'queued';
  /** Held where the SDK can let go of it for good: in its hook. */
  isDeferrable = false;
  /** The call stands in the log: it may go on to the SDK's own rules. */
  readonly begun = new Deferred<void>();
  readonly asked = new Deferred<Asked>();
  readonly decision = new Deferred<Decision>();
  readonly result = new Deferred<Outcome>();

  constructor(id: string) {
    this.id = id;
  }

  /** Waits for what is decided here. */
  async hold(): Promise<Decision> {
    this.state = 'held';
    const decision = await this.decision.promise;
    this.state = 'running';
    return decision;
  }

  end(outcome: Outcome): void {
    this.state = 'done';
    this.result.resolve(outcome);
  }

  abandon(reason: Error): void {
    for (const waiting of [this.begun, this.asked, this.decision, this.result]) waiting.reject(reason);
  }
}
