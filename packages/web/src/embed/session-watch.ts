import type { SessionClient } from '@parleyhq/client';
import { asHidden, type ChatEvent, type Session } from '@parleyhq/core';
import type { ParleyFailure, ParleySessionChange, ParleySettled } from './public.ts';

/** Receives what happens in a session. */
interface Listener {
  onSettled(settled: ParleySettled): void;
  onChange(change: ParleySessionChange): void;
  onError(failure: ParleyFailure): void;
}

/** Reports what happens in an opened session from now on, in the order of its log. @returns a function that stops it */
export function watchSession(session: SessionClient, listener: Listener): () => void {
  let reported = '';
  let isGone = false;
  const reportState = () => {
    const { state } = session;
    if (state.phase === 'gone' && !isGone)
      listener.onError({ code: 'not_found', message: 'This session does not exist, or may not be seen.' });
    isGone = state.phase === 'gone';
    if (!state.session) return;
    const change = describeSession(state.session);
    const text = JSON.stringify(change);
    if (text !== reported) listener.onChange(change);
    reported = text;
  };
  const stops = [
    session.subscribe(reportState),
    session.onEvents((events) => {
      if (session.state.phase === 'loading') return; // these events are older than the watch
      for (const event of events) {
        const settled = asSettled(event);
        if (settled) listener.onSettled(settled);
      }
    }),
  ];
  reportState();
  return () => {
    for (const stop of stops) stop();
  };
}

function describeSession({ id, title, status, openCount }: Session): ParleySessionChange {
  return { sessionId: id, title, status, openCount };
}

function asSettled(event: ChatEvent): ParleySettled | undefined {
  if (asHidden(event)) return undefined;
  const { sessionId } = event;
  if (event.type === 'interaction_closed') {
    const { interactionId, reason } = event.payload;
    return { sessionId, interactionId, status: reason };
  }
  if (event.type !== 'interaction_response') return undefined;
  const { interactionId, action } = event.payload;
  return { sessionId, interactionId, status: 'answered', action };
}
