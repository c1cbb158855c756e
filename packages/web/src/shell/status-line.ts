import type { SessionState } from '@parleyhq/client';
import { type Head, outsideAgent, type SessionStatus, statusOf } from '@parleyhq/core';
import { html, nothing } from 'lit';

/**
 * What the session does, and where words would go now, if the box itself does not say it (WEB9). `isAsked` says that it waits for
 * this person: the question was told already, so that is only to be seen.
 */
export function renderStatusLine(state: SessionState, { isAsked, mayWrite }: { isAsked: boolean; mayWrite: boolean }) {
  const words = describeStatus(state, isAsked);
  const fate = {
    idle: '',
    running: 'What you write is read when it is done.',
    waiting: 'What you write answers nothing: it is read after the answer.',
  }[state.phase === 'live' ? judge(state.head) : 'idle'];
  return html`<p class="status">
    ${isAsked ? html`<span>${words}</span>` : nothing}
    <span role="status">${isAsked ? nothing : words}${mayWrite && fate ? html` ${fate}` : nothing}</span>
  </p>`;
}

function describeStatus({ phase, head, session }: SessionState, isMine: boolean): string {
  if (phase !== 'live') return '';
  const who = session?.agent === outsideAgent ? 'The program' : 'The agent';
  const waiting = `${who} is waiting for ${isMine ? 'your' : 'somebody else’s'} answer.`;
  return { idle: '', running: `${who} is working.`, waiting }[judge(head)];
}

/** While a tool decides about a prompt whose time is up, nobody is waited for. */
function judge(head: Head): SessionStatus {
  const status = statusOf(head);
  const isOpen = [...head.prompts, ...(head.hidden ?? [])].some(({ state }) => state === 'open');
  return status === 'waiting' && !isOpen ? 'running' : status;
}
