import type { Awaitable, Json, StoreChange } from '@parleyhq/core';
import type { Logger } from 'pino';
import type { NodeMessage } from '../tabs/node-message.ts';
import type { Change, Follower } from './change.ts';
import type { SessionWriter } from './session-writer.ts';

/** A capability of the server, as one value. All of them are in one ordered list: see `listExtensions`. */
export interface Extension {
  readonly name: string;
  /** Called after each commit, in the order of the list. What it throws is logged. */
  readonly follow?: (change: Change) => void;
  /** Handlers of messages from other nodes (OPS4). */
  readonly messages?: MessageHandlers;
  /** Sends the other nodes again what one that has just joined, or lost messages, does not know. */
  readonly republish?: () => Awaitable<void>;
  /** A value that each node publishes about itself, and all nodes know. */
  readonly replicated?: Replicated;
  /** Handlers of changes that were stored, by this node or another. @throws what is tried again later */
  readonly storeChanges?: StoreChangeHandlers;
  /** Called with the nodes that live, and whether this one is the leader, which does what only one node may do. */
  readonly onNodes?: (others: ReadonlySet<string>, isLeader: boolean) => void;
  /** Called when the server stops, in the order of the list. */
  readonly stop?: () => Awaitable<void>;
}

type MessageOf<Kind extends NodeMessage['kind']> = Extract<NodeMessage, { kind: Kind }>;

/** `session` is as new as the sender's. Messages about no state of a session come without one. */
export type MessageHandlers = {
  readonly [Kind in NodeMessage['kind']]?: MessageOf<Kind> extends { readonly seq: number }
    ? (message: MessageOf<Kind>, from: string, session: SessionWriter) => void
    : (message: MessageOf<Kind>, from: string) => void;
};

export type StoreChangeHandlers = {
  readonly [What in StoreChange['what']]?: (change: Extract<StoreChange, { what: What }>) => Awaitable<void>;
};

/** The members of `nodes.details` in the database: nodes of several releases read them. */
export interface Replicated {
  readonly member: 'counts' | 'connections' | 'looking' | 'publicKey';
  readonly read: () => Json;
  /** Receives the values of the other nodes by node; a node of another release may not publish it. */
  readonly update: (values: ReadonlyMap<string, Json>) => void;
}

/** Publishes each change to all extensions that follow. If one fails, the others still receive the change: it is stored already. */
export function publishTo(extensions: readonly Extension[], log: Logger): Follower {
  const followers = extensions.filter(({ follow }) => follow);
  return (change) => {
    for (const { name, follow } of followers) {
      try {
        follow?.(change);
      } catch (error) {
        log.error({ sessionId: change.sessionId, follower: name, error }, 'a stored change could not be passed on');
      }
    }
  };
}
