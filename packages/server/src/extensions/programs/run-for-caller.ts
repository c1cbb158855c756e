import type { SessionHub, SessionWriter } from '@parleyhq/runtime';
import type { Logger } from 'pino';
import type { WaitingRequests } from '../../auth/waiting-requests.ts';
import type { CallFiles } from './call-files.ts';
import type { CallOutcome } from './call-outcome.ts';
import type { CallingClient, ProgramCall } from './call-request.ts';
import type { CommentBoard } from './comment-board.ts';
import { noLongerWaiting, type ProgramCalls } from './program-calls.ts';
import type { ResultBoard } from './result-board.ts';

/** Everything that serves the calls of programs outside. */
export interface Programs {
  readonly hub: SessionHub;
  readonly calls: ProgramCalls;
  readonly board: ResultBoard;
  readonly comments: CommentBoard;
  readonly files: CallFiles;
  readonly requests: WaitingRequests;
  /** Aborts when the server stops, and with it all waits. */
  readonly stopping: AbortSignal;
  readonly log: Logger;
}

export interface CallerWait {
  /** Aborts when the caller stops waiting. */
  readonly until: AbortSignal;
  /**
   * Whether the caller stays connected: the board sends it the result of a lasting call as a frame, so only a result that is
   * already stored is returned.
   */
  readonly isConnected?: boolean;
  /** Whether the wait for a lasting call ends early with a comment that its program does not know, if the call asked for comments. */
  readonly hearsComments?: boolean;
  /** Returns the note of the caller's own withdrawal, which ends a lasting call, too; undefined if it did not withdraw the call. */
  readonly findNote?: () => string | undefined;
}

/**
 * Waits for a call on behalf of its caller. This is the only place that separates lasting calls, which stay open when the wait ends,
 * from those that end with their request (ASK4).
 * @returns the outcome; undefined if the call stays open
 * @throws RefusalError `not_found` if the call had to end and its session was deleted meanwhile
 */
export async function runForCaller(
  programs: Programs,
  client: CallingClient,
  call: ProgramCall,
  { until, isConnected = false, hearsComments = false, findNote }: CallerWait,
): Promise<CallOutcome | undefined> {
  const { stopping } = programs;
  const over = isConnected && !call.isLive ? AbortSignal.abort() : AbortSignal.any([until, stopping]);
  const mayHear = hearsComments && !call.isLive && client.principal.id === call.principal;
  const outcome = await waitFor(programs, client, call, mayHear, over);
  const note = findNote?.();
  if (outcome || (!call.isLive && note === undefined)) return outcome;
  return endCall(programs, client, call, note ?? noLongerWaiting);
}

/** Waits for the outcome, or until there is a new comment if the caller wants to get those. */
async function waitFor(
  { board, comments }: Programs,
  { principal }: CallingClient,
  call: ProgramCall,
  hearsComments: boolean,
  until: AbortSignal,
): Promise<CallOutcome | undefined> {
  if (!hearsComments || until.aborted) return board.wait(call, until, principal.id);
  const known = await board.read(call, principal.id);
  if (known) return known;
  const over = new AbortController();
  try {
    const heard = await comments.listen(call, AbortSignal.any([until, over.signal]));
    return await board.wait(call, AbortSignal.any([until, heard]), principal.id);
  } finally {
    over.abort();
  }
}

/**
 * Withdraws a call that nobody waits for and returns its outcome; an answer that came first counts. The server withdraws it, because
 * the client's credential may have ended with its request. If this fails, the next start withdraws it.
 */
async function endCall({ hub, board }: Programs, client: CallingClient, call: ProgramCall, note: string) {
  const { principal, auditActor: by } = client;
  const { session } = await hub.open(call.sessionId);
  for (;;) {
    const { changed, stop } = nextChange(session);
    try {
      await session.persist({ type: 'withdraw', toolCallId: call.toolCallId, note, principal }, { by });
      const outcome = await board.read(call);
      if (outcome) return outcome;
      session.requireLife();
      await changed; // its result is about to be stored, or it asks again
    } finally {
      stop();
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
