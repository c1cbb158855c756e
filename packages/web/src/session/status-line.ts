import type { SessionState } from '@parleyhq/client';
import { type Head, outsideAgent, type SessionStatus, statusOf } from '@parleyhq/core';
import { html, nothing } from 'lit';

interface Reader {
  /** Whether a prompt waits for this person. */
  readonly isAsked: boolean;
  readonly mayWrite: boolean;
}

/** What happens to a message that is sent now. */
const fates = {
  idle: '',
  running: 'What you write is read when it is done.',
  waiting: 'What you write answers nothing: it is read after the answer.',
};

/**
 * The session's status, and what would happen to a message unless the box itself says it (WEB9). That the session waits for this
 * person is not repeated here: the card and the box say so. Screen readers announce a status once, not after each pause.
 */
export class StatusLine {
  /** The last status other than idle. */
  #last: SessionStatus = 'idle';
  /** Whether this status was announced before the last pause. */
  #isKnown = false;

  render({ phase, head, session }: SessionState, { isAsked, mayWrite }: Reader) {
    const status = phase === 'live' ? judge(head) : 'idle';
    if (status === 'idle') this.#isKnown = true;
    else if (status !== this.#last) [this.#last, this.#isKnown] = [status, false];
    const who = session?.agent === outsideAgent ? 'The program' : 'The agent';
    const waiting = isAsked ? '' : `${who} is waiting for somebody else’s answer.`;
    const words = { idle: '', running: `${who} is working.`, waiting }[status];
    const fate = mayWrite ? fates[status] : '';
    const all = `${words} ${fate}`.trim();
    const [seen, announced] = this.#isKnown ? [all, ''] : ['', all];
    return html`<p class="status">${seen ? html`<span>${seen}</span> ` : nothing}<span role="status">${announced}</span></p>`;
  }
}

/** Returns the status; while a tool handles an expired prompt, the session works rather than waits. */
function judge(head: Head): SessionStatus {
  const status = statusOf(head);
  const isOpen = [...head.prompts, ...(head.hidden ?? [])].some(({ state }) => state === 'open');
  return status === 'waiting' && !isOpen ? 'running' : status;
}
