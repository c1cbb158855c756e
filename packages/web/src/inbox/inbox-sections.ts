import { describeVotes, type InboxEntry, type Session, showHidden } from '@parleyhq/core';
import { html, nothing } from 'lit';
import { pathOf } from '../browser/route.ts';
import { headingOf } from '../prompt/words.ts';
import { formatTime } from '../ui/time.ts';
import { renderUntrusted } from '../ui/untrusted-text.ts';

interface Snoozed {
  readonly entry: InboxEntry;
  /** In ms. */
  readonly until: number;
}

/** Renders the postponed prompts, and until when each is postponed. */
export function renderSnoozed(snoozed: readonly Snoozed[], onWake: (entry: InboxEntry) => void) {
  if (snoozed.length === 0) return nothing;
  return html`<section aria-labelledby="snoozed">
    <h2 id="snoozed">Not now</h2>
    <ul>
      ${snoozed.map(
        ({ entry, until }) => html`<li class="plainrow">
          <span class="heading">${renderUntrusted(headingOf(entry.interaction))}</span>
          <span class="meta">until ${formatTime(new Date(until).toISOString())}</span>
          <button class="plain" aria-label="Bring back: ${showHidden(headingOf(entry.interaction))}" @click=${() => onWake(entry)}>Bring back</button>
        </li>`,
      )}
    </ul>
  </section>`;
}

/** Renders the prompts on which this person has voted, with links that lead to them, where the vote can be changed (TEAM3). */
export function renderVoted(own: readonly InboxEntry[], home: string) {
  const voted = own.filter(({ ownVote }) => ownVote);
  if (voted.length === 0) return nothing;
  return html`<section aria-labelledby="voted">
    <h2 id="voted">You voted</h2>
    <ul>
      ${voted.map(
        ({ sessionId, interaction, votes = { approve: 0, deny: 0 }, ownVote }) => html`<li class="plainrow">
          <a href=${`${home}${pathOf({ sessionId, interactionId: interaction.interactionId })}`}>${renderUntrusted(headingOf(interaction))}</a>
          <span class="meta">${describeVotes(interaction, votes, ownVote)}</span>
        </li>`,
      )}
    </ul>
  </section>`;
}

/** Renders the sessions in which somebody else is asked. */
export function renderOthers(sessions: readonly Session[], home: string) {
  if (sessions.length === 0) return nothing;
  return html`<section aria-labelledby="others">
    <h2 id="others">For others</h2>
    <ul>
      ${sessions.map(
        ({ id, title }) => html`<li class="plainrow">
          <a href=${`${home}${pathOf({ sessionId: id })}`}>${renderUntrusted(title)}</a>
        </li>`,
      )}
    </ul>
  </section>`;
}
