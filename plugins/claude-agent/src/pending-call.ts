import { Deferred } from './deferred.ts';

/** A call as the model wrote it; `name` is the SDK's name of the tool or, for Parley's tools, their own. */
export interface ModelCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** The result of a call, as the model reads it. */
export interface CallOutput {
  readonly text: string;
  readonly isError: boolean;
}

/** Why the SDK asks for permission, and what it suggests allowing from now on: its `PermissionUpdate`s. */
export interface Asked {
  readonly reason?: string;
  readonly suggestions: readonly unknown[];
}

/** What Parley tells the SDK to do with a call. */
export type CallDecision =
  | { readonly kind: 'allow'; readonly input: unknown }
  | { readonly kind: 'deny'; readonly message: string }
  /** The result of one of Parley's tools. */
  | { readonly kind: 'reply'; readonly output: CallOutput }
  /** Nobody has decided yet, and the process is to end without waiting. */
  | { readonly kind: 'defer' };

/** A call of the model inside an SDK process: where the SDK and Parley meet. */
export class PendingCall {
  readonly id: string;
  /** `queued` until the SDK comes to it, `held` while it waits for Parley, `running` once it may run. */
  state: 'queued' | 'held' | 'running' | 'done' = 'queued';
  /** Whether it is held in a hook, where the SDK can defer it to another process. */
  isDeferrable = false;
  /** The call is in the log: the SDK may check its own permission rules. */
  readonly begun = new Deferred<void>();
  readonly asked = new Deferred<Asked>();
  readonly decision = new Deferred<CallDecision>();
  readonly result = new Deferred<CallOutput>();

  constructor(id: string) {
    this.id = id;
  }

  /** Holds the call until Parley decides. */
  async hold(): Promise<CallDecision> {
    this.state = 'held';
    const decision = await this.decision.promise;
    this.state = 'running';
    return decision;
  }

  /** The call has its result. */
  end(output: CallOutput): void {
    this.state = 'done';
    this.result.resolve(output);
  }

  /** The process is gone: nobody can wait for the call any longer. */
  abandon(reason: Error): void {
    for (const waiting of [this.begun, this.asked, this.decision, this.result]) waiting.reject(reason);
  }
}
