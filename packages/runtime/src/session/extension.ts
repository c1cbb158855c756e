import type { Awaitable, Json, StoreChange } from '@parleyhq/core';
import type { Logger } from 'pino';
import type { Replicated } from '../node/replicated.ts';
import type { Change, Follower } from './change.ts';
import type { SessionWriter } from './session-writer.ts';

/** A capability of the server, as one value. All of them are in one ordered list: see `listExtensions`. */
export interface Extension {
  readonly name: string;
  /** Called after each commit, in the order of the list. What it throws is logged. */
  readonly follow?: (change: Change) => void;
  /** Handlers of the messages of this extension at other nodes, by kind. */
  readonly messages?: Readonly<Record<string, MessageHandler>>;
  /** Sends the other nodes again what one that has just joined, or lost messages, does not know. */
  readonly republish?: () => Awaitable<void>;
  /** A value that each node publishes about itself, and all nodes know. */
  readonly replicated?: Pick<Replicated<Json>, 'member' | 'json' | 'update'>;
  /** Handlers of changes that were stored, by this node or another. @throws what is tried again later */
  readonly storeChanges?: StoreChangeHandlers;
  /** Called with the nodes that live, and whether this one is the leader, which does what only one node may do. */
  readonly onNodes?: (others: ReadonlySet<string>, isLeader: boolean) => void;
  /** Called when the server stops, in the order of the list. */
  readonly stop?: () => Awaitable<void>;
}

/**
 * Handles a message of a type that the extension declares.
 * @param session - that of a `SessionMessage`, at least as new as the sender's; other messages come without one
 */
export type MessageHandler = (message: never, from: string, session: SessionWriter) => void;

export type StoreChangeHandlers = {
  readonly [What in StoreChange['what']]?: (change: Extract<StoreChange, { what: What }>) => Awaitable<void>;
};

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
