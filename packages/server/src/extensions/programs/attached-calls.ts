import { type InteractionResponse, type OutsideCall, RefusalError } from '@parleyhq/core';
import type { Logger } from 'pino';
import type { SessionHub } from '../../runtime/hub/hub.ts';
import { newId } from '../../runtime/node/new-id.ts';
import type { SessionWriter } from '../../runtime/session/session-writer.ts';
import type { CallOutcome } from './call-outcome.ts';
import type { CallWaits } from './call-waits.ts';
import { type CallingClient, type CallRequest, noLongerWaiting, type OutsideCalls } from './outside-calls.ts';

export interface AttachedCallsOptions {
  readonly hub: SessionHub;
  readonly outside: OutsideCalls;
  readonly waits: CallWaits;
  /** Aborts when the server stops; the next start withdraws these calls. */
  readonly stopping: AbortSignal;
  readonly log: Logger;
}

/** The connection that a call ends with. */
export interface CallConnection {
  readonly gone: AbortSignal;
  deliver(outcome: CallOutcome): void;
}

/** Outcome of a live call, and the answers of people in their order. */
export interface AttachedOutcome extends CallOutcome {
  readonly answers: readonly InteractionResponse[];
}

/** Calls that end with the request that waits for them: they cannot be repeated or fetched (ASK4). */
export class AttachedCalls {
  readonly #options: AttachedCallsOptions;

  constructor(options: AttachedCallsOptions) {
    this.#options = options;
  }

  /**
   * Calls a tool and waits for as long as it takes. Undefined if the request ended first, or the server stops.
   * @param ended - aborts when nobody waits any more; its reason is the note of the withdrawal
   * @throws RefusalError if the call could not begin
   */
  async call(
    client: CallingClient,
    request: Omit<CallRequest, 'callId' | 'isLive'>,
    ended: AbortSignal,
  ): Promise<AttachedOutcome | undefined> {
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
   * Ends a call with its connection, which alone receives the result.
   * @param call - the call that was begun for this connection
   */
  async follow(client: CallingClient, call: OutsideCall, { gone, deliver: tell }: CallConnection): Promise<void> {
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
   * Withdraws a call that nobody waits for and returns its outcome. An answer that came first counts.
   * @throws RefusalError `not_found` if its session was deleted meanwhile
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
        await changed; // its result is about to be stored, or it asks again
      } finally {
        stop();
      }
    }
  }

  /**
   * Withdraws a call on behalf of the server, because the client's credential may have ended with its request. If this fails, the
   * next start withdraws it.
   */
  async #withdraw({ principal, auditActor: by }: CallingClient, call: OutsideCall, note: string): Promise<void> {
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

/** Returns a promise of the next change of a session, and a function that stops waiting for it. */
function nextChange(session: SessionWriter): { readonly changed: Promise<void>; readonly stop: () => void } {
  let stop = () => {};
  const changed = new Promise<void>((resolve) => {
    stop = session.observe({ onChange: () => resolve() });
  });
  return { changed, stop };
}
