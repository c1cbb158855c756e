import type { ChatEvent, Json, ToolCallId } from '@parleyhq/core';
import { newId, type PeerMessage, type Peers, type SecretExchange, type SessionMessage } from '@parleyhq/runtime';
import type { CallOutcome } from './call-outcome.ts';

/** How long a result is kept in memory with its secrets, in ms. */
const freshMs = 60_000;

/** In ms: how long a caller waits for replies of other nodes. */
const patienceMs = 2000;

interface Fresh {
  readonly outcome: CallOutcome;
  readonly timer: NodeJS.Timeout;
  /** Number of readers that may still fetch it. */
  left: number;
}

/** A request to the other nodes. */
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

/**
 * Results with their secrets, in the memory of the node that ran the call: each is available once for each caller that waited and
 * for one more fetch within a minute. To other nodes they are sent sealed, and they are stored nowhere (ASK5).
 */
export class FreshResults {
  readonly #kept = new Map<ToolCallId, Fresh>();
  readonly #requests = new Map<string, Request>();
  readonly #peers: Peers;
  readonly #secretExchange: SecretExchange;

  constructor(peers: Peers, secretExchange: SecretExchange) {
    this.#peers = peers;
    this.#secretExchange = secretExchange;
  }

  /** @param left - number of readers that may fetch it */
  keep(toolCallId: ToolCallId, outcome: CallOutcome, left: number): void {
    const timer = setTimeout(() => this.#kept.delete(toolCallId), freshMs).unref();
    this.#kept.set(toolCallId, { outcome, left, timer });
  }

  /**
   * Finds a result here or at the other nodes, once for each reader.
   * @param isWaiting - whether the reader waited here when the result arrived
   * @returns undefined if no node has it, or replies in time
   */
  async take(event: ChatEvent<'tool_result'>, isWaiting: boolean): Promise<CallOutcome | undefined> {
    const own = this.#take(event.payload.toolCallId);
    return own ?? (isWaiting || isRecent(event) ? this.#fetch(event, isWaiting) : undefined);
  }

  /** Replies to a node whose caller waited for a result or fetches it. */
  onWanted(node: string, { request, toolCallId, isWaiting }: ResultWanted): void {
    const outcome = isWaiting ? this.#kept.get(toolCallId)?.outcome : this.#take(toolCallId);
    const sealed = outcome && this.#secretExchange.seal(node, outcome as Json, placeOf(request));
    this.#peers.publish<ResultTold>({ kind: 'result_told', request, sealed: sealed ?? null });
  }

  /** Receives the reply of a node. */
  onTold(node: string, { request, sealed }: ResultTold): void {
    const known = this.#requests.get(request);
    if (!known) return;
    const outcome = this.#secretExchange.open(sealed, placeOf(request));
    known.asked.delete(node);
    if (outcome !== undefined) known.settle(outcome as CallOutcome);
    else if (known.asked.size === 0) known.settle(undefined);
  }

  #take(toolCallId: ToolCallId): CallOutcome | undefined {
    const kept = this.#kept.get(toolCallId);
    if (!kept) return undefined;
    kept.left -= 1;
    if (kept.left === 0) {
      clearTimeout(kept.timer);
      this.#kept.delete(toolCallId);
    }
    return kept.outcome;
  }

  #fetch({ sessionId, seq, payload }: ChatEvent<'tool_result'>, isWaiting: boolean): Promise<CallOutcome | undefined> {
    const asked = new Set(this.#peers.others);
    if (asked.size === 0) return Promise.resolve(undefined);
    const { toolCallId } = payload;
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
}

/** Whether another node may still have the result with its secrets, even if its clock is a minute ahead or behind. */
function isRecent({ timestamp }: ChatEvent): boolean {
  return Date.now() - Date.parse(timestamp) < freshMs + 60_000;
}

function placeOf(request: string): string {
  return `result ${request}`;
}
