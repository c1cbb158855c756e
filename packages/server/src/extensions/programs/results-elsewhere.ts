import type { Json, Seq, SessionId, ToolCallId } from '@parleyhq/core';
import { newId } from '../../runtime/node/new-id.ts';
import type { SecretExchange } from '../../runtime/node/secret-exchange.ts';
import type { PublishToNodes, ResultTold } from '../../runtime/tabs/node-message.ts';
import type { CallOutcome } from './call-outcome.ts';

/** In ms: how long a caller waits for replies of other nodes. */
const patienceMs = 2000;

interface Request {
  /** Nodes that have not replied yet. */
  readonly asked: Set<string>;
  settle(outcome: CallOutcome | undefined): void;
}

export interface ElsewhereOptions {
  readonly publishToNodes: PublishToNodes;
  /** Returns the other nodes that are alive. */
  readonly others: () => ReadonlySet<string>;
  readonly secretExchange: SecretExchange;
}

/** The result of a call, and the position in the session's log at which it was stored. */
export interface ResultRef {
  readonly sessionId: SessionId;
  readonly seq: Seq;
  readonly toolCallId: ToolCallId;
}

/** Fetches results with secrets from the memory of other nodes: they are sent sealed and stored nowhere (ASK5, OPS4). */
export class ResultsElsewhere {
  readonly #options: ElsewhereOptions;
  readonly #requests = new Map<string, Request>();

  constructor(options: ElsewhereOptions) {
    this.#options = options;
  }

  /**
   * Asks the other nodes for a result.
   * @param isWaiting - whether the caller waited when the result arrived
   * @returns undefined if no node has it, or replies in time
   */
  fetch({ sessionId, seq, toolCallId }: ResultRef, isWaiting: boolean): Promise<CallOutcome | undefined> {
    const { publishToNodes, others } = this.#options;
    const asked = new Set(others());
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
      publishToNodes({ kind: 'result_wanted', sessionId, seq, request, toolCallId, isWaiting });
    });
  }

  /**
   * Replies to a node.
   * @param outcome - the result in this node's memory, if there is one
   */
  reply(node: string, request: string, outcome: CallOutcome | undefined): void {
    const { publishToNodes, secretExchange } = this.#options;
    const sealed = outcome && secretExchange.seal(node, outcome as Json, placeOf(request));
    publishToNodes({ kind: 'result_told', request, sealed: sealed ?? null });
  }

  receive(node: string, { request, sealed }: ResultTold): void {
    const known = this.#requests.get(request);
    if (!known) return;
    const outcome = this.#options.secretExchange.open(sealed, placeOf(request));
    known.asked.delete(node);
    if (outcome !== undefined) known.settle(outcome as CallOutcome);
    else if (known.asked.size === 0) known.settle(undefined);
  }
}

function placeOf(request: string): string {
  return `result ${request}`;
}
