import type { Json, Seq, SessionId, ToolCallId } from '@parleyhq/core';
import { newId } from '../node/new-id.ts';
import type { Sealing } from '../node/sealing.ts';
import type { ResultTold, TellNodes } from '../tabs/node-message.ts';
import type { CallOutcome } from './call-outcome.ts';

/** In ms: how long a caller waits for nodes that do not reply. */
const patienceMs = 2000;

interface Request {
  /** The nodes that have not replied. */
  readonly asked: Set<string>;
  settle(outcome: CallOutcome | undefined): void;
}

export interface ElsewhereOptions {
  readonly tellNodes: TellNodes;
  /** The other nodes that live. */
  readonly others: () => ReadonlySet<string>;
  readonly sealing: Sealing;
}

/** A call's result, and how far its session's log has come with it. */
export interface ResultPlace {
  readonly sessionId: SessionId;
  readonly seq: Seq;
  readonly toolCallId: ToolCallId;
}

/** Results with secrets that another node has in its memory: they come sealed, and are kept nowhere (ASK5, OPS4). */
export class ResultsElsewhere {
  readonly #options: ElsewhereOptions;
  readonly #requests = new Map<string, Request>();

  constructor(options: ElsewhereOptions) {
    this.#options = options;
  }

  /** @param isWaiting - its caller waited when the result came. @returns undefined where no node has it, or replies in time */
  fetch({ sessionId, seq, toolCallId }: ResultPlace, isWaiting: boolean): Promise<CallOutcome | undefined> {
    const { tellNodes, others } = this.#options;
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
      tellNodes({ kind: 'result_wanted', sessionId, seq, request, toolCallId, isWaiting });
    });
  }

  /** @param outcome - what this node has, if it does */
  reply(node: string, request: string, outcome: CallOutcome | undefined): void {
    const { tellNodes, sealing } = this.#options;
    const sealed = outcome && sealing.seal(node, outcome as Json, placeOf(request));
    tellNodes({ kind: 'result_told', request, sealed: sealed ?? null });
  }

  hear(node: string, { request, sealed }: ResultTold): void {
    const known = this.#requests.get(request);
    if (!known) return;
    const outcome = this.#options.sealing.open(sealed, placeOf(request));
    known.asked.delete(node);
    if (outcome !== undefined) known.settle(outcome as CallOutcome);
    else if (known.asked.size === 0) known.settle(undefined);
  }
}

function placeOf(request: string): string {
  return `result ${request}`;
}
