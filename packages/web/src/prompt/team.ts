import { findVoteOf, type InteractionItem, ownerOf, type Principal, type Vote, votesOf } from '@parleyhq/core';
import { html, nothing } from 'lit';

/** Returns this person's vote, if there is one. */
export function findOwnVote(item: InteractionItem, principal: Principal): Vote | undefined {
  return findVoteOf(votesOf(item), ownerOf(principal));
}

/** Renders what others have done or have to do about a prompt. The code for that is loaded when needed: most prompts ask one person. */
export function renderTeam(item: InteractionItem, principal: Principal) {
  const { decide } = item.request?.payload ?? {};
  if (!decide && !item.escalations?.length && !item.response?.payload.votes) return nothing;
  void import('./team-notes.ts').catch(() => undefined);
  return html`<parley-team-notes .item=${item} .principal=${principal}></parley-team-notes>`;
}
