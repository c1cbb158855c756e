import type { SessionRuntime } from '@parleyhq/runtime';

/** Membership of this node among those on its database. */
export interface Membership {
  /** Whether no other node may consider this one dead. */
  readonly isAlive: boolean;
  /** Whether this node is the leader, which does what only one node may do. */
  readonly isLeader: boolean;
  /** Starts to follow what others store; to be called before any session is loaded. */
  start(): Promise<void>;
  /** Takes over the work of nodes that have ended, once all unfinished work is in memory. */
  join(): Promise<void>;
  stop(): Promise<void>;
}

/** Membership of a server that has its database to itself: all unfinished work is its own. */
export function makeSoleMembership(loaded: () => readonly Promise<SessionRuntime>[]): Membership {
  return {
    isAlive: true,
    isLeader: true,
    start: async () => undefined,
    join: async () => {
      for (const runtime of await Promise.all(loaded())) runtime.recover();
    },
    stop: async () => undefined,
  };
}
