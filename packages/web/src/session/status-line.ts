import type { SessionState } from '@parleyhq/client';
import { type Head, outsideAgent, type SessionStatus, statusOf } from '@parleyhq/core';
import { html, nothing } from 'lit';

interface Reader {
  /** It waits for this person. */
  readonly isAsked: boolean;
  readonly mayWrite: boolean;
}

/** What becomes of words that are sent now. */
const fates = {
  idle: '',
  running: 'What you write is read when it is done.',
  waiting: 'What you write answers nothing: it is read after the answer.',
};

/**
 * What a session does, and where words would go now, if the box itself does not say it (WEB9). It is told to who listens as it
 * changes, but for two things: that it waits for this person, as the question was told already, and that the same goes on after
 * a rest, turn after turn.
 */
export class StatusLine {
  /** What it did last, other than rest. */
  #last: SessionStatus = 'idle';
  /** It rested since, and was told what it does before. */
  #isKnown = false;

  render({ phase, head, session }: SessionState, { isAsked, mayWrite }: Reader) {
    const status = phase === 'live' ? judge(head) : 'idle';
    if (status === 'idle') this.#isKnown = true;
    else if (status !== this.#last) [this.#last, this.#isKnown] = [status, false];
    const who = session?.agent === outsideAgent ? 'The program' : 'The agent';
    const waiting = `${who} is waiting for ${isAsked ? 'your' : 'somebody else’s'} answer.`;
    const words = { idle: '', running: `${who} is working.`, waiting }[status];
    const fate = mayWrite ? fates[status] : '';
    const all = `${words} ${fate}`.trim();
    const [seen, told] = this.#isKnown ? [all, ''] : isAsked ? [words, fate] : ['', all];
    return html`<p class="status">${seen ? html`<span>${seen}</span> ` : nothing}<span role="status">${told}</span></p>`;
  }
}

/** While a tool decides about a prompt whose time is up, nobody is waited for. */
function judge(head: Head): SessionStatus {
  const status = statusOf(head);
  const isOpen = [...head.prompts, ...(head.hidden ?? [])].some(({ state }) => state === 'open');
  return status === 'waiting' && !isOpen ? 'running' : status;
}
