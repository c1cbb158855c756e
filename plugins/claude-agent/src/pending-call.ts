import { Deferred } from './deferred.ts';

/** A call as the model wrote it. The names of Parley's tools keep their prefix only in calls of sub-agents. */
export interface ModelCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** The result of a call, in the form the model receives. */
export interface CallOutput {
  readonly text: string;
  readonly isError: boolean;
}

/** Why the SDK asks for permission, and what it suggests allowing from now on: its `PermissionUpdate`s. */
export interface Asked {
  readonly reason?: string;
  readonly suggestions: readonly unknown[];
}

/** Parley's decision about a call, for the SDK. */
export type CallDecision =
  | { readonly kind: 'allow'; readonly input: unknown }
  | { readonly kind: 'deny'; readonly message: string }
  /** The result of one of Parley's tools. */
  | { readonly kind: 'reply'; readonly output: CallOutput }
  /** Nobody has decided yet, and the process should end without waiting. */
  | { readonly kind: 'defer' };

/** A call of the model inside an SDK process, through which the SDK and Parley exchange decisions and results. */
export class PendingCall {
  readonly id: string;
  /** `queued` until the SDK comes to it, `held` while it waits for Parley, `running` once it may run. */
  state: 'queued' | 'held' | 'running' | 'done' = 'queued';
  /** Whether it is held in a hook, where the SDK can defer it to another process. */
  isDeferrable = false;
  /** Resolves when the call is in the log: the SDK may then check its own permission rules. */
  readonly begun = new Deferred<void>();
  readonly asked = new Deferred<Asked>();
  readonly decision = new Deferred<CallDecision>();
  readonly result = new Deferred<CallOutput>();
  /** What people said to a call of a sub-agent that the SDK has run. */
  readonly words = new Deferred<string | undefined>();

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

  /** Stores the result of the call. */
  end(output: CallOutput): void {
    this.state = 'done';
    this.result.resolve(output);
  }

  /** Fails everything that waits for the call, because the process has ended. */
  abandon(reason: Error): void {
    for (const waiting of [this.begun, this.asked, this.decision, this.result, this.words]) waiting.reject(reason);
  }
}
