import type { Seq, SessionId } from '@parleyhq/core';

/** A message to the other nodes about state that is never stored. The extension that sends a kind also handles it. */
export interface PeerMessage {
  readonly kind: string;
}

/** A message about a session. The receiver handles it once it has read the log up to `seq`, the end of the sender's log. */
export interface SessionMessage extends PeerMessage {
  readonly sessionId: SessionId;
  readonly seq: Seq;
}

/** Sends a message to all other nodes. Never throws; a lost message only means a delay. */
export type PublishToPeers = <Message extends PeerMessage>(message: Message) => void;

/** The other nodes on the same database (OPS4). */
export interface Peers {
  /** Ids of those that are alive. */
  readonly others: ReadonlySet<string>;
  readonly publish: PublishToPeers;
}

/** Peers of a server that has its database to itself. */
export const noPeers: Peers = { others: new Set(), publish: () => undefined };
