import type { Json, Seq, SessionId, ToolCallId } from '@parleyhq/core';
import { newId } from '../../runtime/node/new-id.ts';
import type { PeerMessage, Peers, SessionMessage } from '../../runtime/node/peers.ts';
import type { SecretExchange } from '../../runtime/node/secret-exchange.ts';
import type { CallOutcome } from './call-outcome.ts';

/** In ms: how long a caller waits for replies of other nodes. */
const patienceMs = 2000;

interface Request {
  /** Nodes that have not replied yet. */
  readonly asked: Set<string>;
  settle(outcome: CallOutcome | undefined): void;
}

/**
 * Asks the node that has a result with its secrets to seal it for the sender, whose caller waited when it arrived, or asks later
 * (ASK5).
 */
export interface ResultWanted extends SessionMessage {
  readonly kind: 'result_wanted';
  readonly request: string;
  readonly toolCallId: ToolCallId;
  readonly isWaiting: boolean;
}

/** The sealed result; null if the sender does not have it. */
export interface ResultTold extends PeerMessage {
  readonly kind: 'result_told';
  readonly request: string;
  readonly sealed: Json;
}

/** The result of a call, and the position in the session's log at which it was stored. */
export interface ResultRef {
  readonly sessionId: SessionId;
  readonly seq: Seq;
  readonly toolCallId: ToolCallId;
}

/** Fetches results with secrets from the memory of other nodes: they are sent sealed and stored nowhere (ASK5). */
export class ResultsElsewhere {
  readonly #peers: Peers;
  readonly #secretExchange: SecretExchange;
  readonly #requests = new Map<string, Request>();

  constructor(peers: Peers, secretExchange: SecretExchange) {
    this.#peers = peers;
    this.#secretExchange = secretExchange;
  }

  /**
   * Asks the other nodes for a result.
   * @param isWaiting - whether the caller waited when the result arrived
   * @returns undefined if no node has it, or replies in time
   */
  fetch({ sessionId, seq, toolCallId }: ResultRef, isWaiting: boolean): Promise<CallOutcome | undefined> {
    const asked = new Set(this.#peers.others);
    if (asked.size === 0) return Promise.resolve(undefined);
    const request = newId();
    return new Promise((resolve) => {
      const settle = (outcome: CallOutcome | undefined) => {
        clearTimeout(timer);
        this.#requests.delete(request);
        resolve(outcome);
      };
      const timer = setTimeout(() => settle(undefined), patienceMs);
      this.#requests.set(request, { asked, settle });
      const kind = 'result_wanted';
      this.#peers.publish<ResultWanted>({ kind, sessionId, seq, request, toolCallId, isWaiting });
    });
  }

  /**
   * Replies to a node.
   * @param outcome - the result in this node's memory, if there is one
   */
  reply(node: string, request: string, outcome: CallOutcome | undefined): void {
    const sealed = outcome && this.#secretExchange.seal(node, outcome as Json, placeOf(request));
    this.#peers.publish<ResultTold>({ kind: 'result_told', request, sealed: sealed ?? null });
  }

  receive(node: string, { request, sealed }: ResultTold): void {
    const known = this.#requests.get(request);
    if (!known) return;
    const outcome = this.#secretExchange.open(sealed, placeOf(request));
    known.asked.delete(node);
    if (outcome !== undefined) known.settle(outcome as CallOutcome);
    else if (known.asked.size === 0) known.settle(undefined);
  }
}

function placeOf(request: string): string {
  return `result ${request}`;
}
