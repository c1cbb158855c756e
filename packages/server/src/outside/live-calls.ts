import { type InteractionResponse, type OutsideCall, RefusalError } from '@parleyhq/core';
import type { Logger } from 'pino';
import type { SessionHub } from '../hub/hub.ts';
import { newId } from '../node/new-id.ts';
import type { LiveSession } from '../session/live-session.ts';
import type { CallOutcome } from './call-outcome.ts';
import type { CallWaits } from './call-waits.ts';
import { type CallingClient, type CallRequest, noLongerWaiting, type OutsideCalls } from './outside-calls.ts';

export interface LiveCallOptions {
  readonly hub: SessionHub;
  readonly outside: OutsideCalls;
  readonly waits: CallWaits;
  /** Aborts when the server stops: the next start finds these calls, and withdraws them. */
  readonly stopping: AbortSignal;
  readonly log: Logger;
}

/** The connection that a call lives as long as. */
export interface CallConnection {
  readonly gone: AbortSignal;
  tell(outcome: CallOutcome): void;
}

/** What a live call came to, and what people said to it, one after the other. */
export interface LiveOutcome extends CallOutcome {
  readonly answers: readonly InteractionResponse[];
}

/** Calls that live as long as the request that waits for them: nobody repeats or fetches them (ASK4). */
export class LiveCalls {
  readonly #options: LiveCallOptions;

  constructor(options: LiveCallOptions) {
    this.#options = options;
  }

  /**
   * Calls a tool and waits, for as long as it takes. Undefined where the request ended first, or the server stops.
   * @param ended - aborts when nobody waits any more; its reason is the note of the withdrawal
   * @throws RefusalError where the call could not begin
   */
  async call(
    client: CallingClient,
    request: Omit<CallRequest, 'callId' | 'isLive'>,
    ended: AbortSignal,
  ): Promise<LiveOutcome | undefined> {
    const { outside, waits, stopping } = this.#options;
    const call = await outside.call(client, { ...request, callId: newId(), isLive: true });
    const outcome = await waits.outcomeOf(call, AbortSignal.any([ended, stopping]));
    if (ended.aborted && !outcome) await this.#withdraw(client, call, String(ended.reason));
    if (!outcome || ended.aborted) return undefined;
    const { session } = await this.#options.hub.openFor(client.principal, call.sessionId);
    const answers = await session.reader.findAnswers(call.toolCallId);
    return { ...outcome, answers: answers.map(({ payload }) => payload) };
  }

  /**
   * Ends a call with its connection, which alone is told the result.
   * @param call - begun for it
   */
  async follow(client: CallingClient, call: OutsideCall, { gone, tell }: CallConnection): Promise<void> {
    const { waits, stopping, log } = this.#options;
    try {
      const outcome = await waits.outcomeOf(call, AbortSignal.any([gone, stopping]));
      if (outcome) tell(outcome);
      else if (!stopping.aborted) await this.#withdraw(client, call, noLongerWaiting);
    } catch (error) {
      log.warn({ sessionId: call.sessionId, toolCallId: call.toolCallId, error }, 'a call could not be followed');
    }
  }

  /**
   * Nobody waits for it any more: it is withdrawn, and what it came to is told. What somebody answered before counts.
   * @throws RefusalError `not_found` where its session was deleted meanwhile
   */
  async end(client: CallingClient, call: OutsideCall, note: string = noLongerWaiting): Promise<CallOutcome> {
    const { hub, outside } = this.#options;
    const { session } = await hub.open(call.sessionId);
    for (;;) {
      const { changed, stop } = nextChange(session);
      try {
        await this.#withdraw(client, call, note);
        const outcome = await outside.readOutcome(call);
        if (outcome) return outcome;
        session.requireLife();
        await changed; // its result is on the way, or it asks again
      } finally {
        stop();
      }
    }
  }

  /** The server's own doing: what has let the client in may have ended with its request. One that fails is left to the next start. */
  async #withdraw({ principal, witness: by }: CallingClient, call: OutsideCall, note: string): Promise<void> {
    const { hub, log } = this.#options;
    const { sessionId, toolCallId } = call;
    try {
      const { session } = await hub.open(sessionId);
      await session.persist({ type: 'withdraw', toolCallId, note, principal }, { by });
    } catch (error) {
      if (error instanceof RefusalError && error.code === 'not_found') return; // deleted meanwhile
      log.warn({ sessionId, toolCallId, error }, 'a call that nobody waits for could not be withdrawn');
    }
  }
}

/** The next change of a session, and how to stop waiting for it. */
function nextChange(session: LiveSession): { readonly changed: Promise<void>; readonly stop: () => void } {
  let stop = () => {};
  const changed = new Promise<void>((resolve) => {
    stop = session.observe({ onChange: () => resolve() });
  });
  return { changed, stop };
}
