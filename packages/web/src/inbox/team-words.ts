import type { ClientState } from '@parleyhq/client';
import {
  type Claim,
  describeVotes,
  type InboxEntry,
  nameOf,
  needsVotes,
  ownerOf,
  type Principal,
  personOf,
} from '@parleyhq/core';
import { html, nothing, type TemplateResult } from 'lit';
import { renderUntrusted } from '../ui/untrusted-text.ts';
import { keyOf } from './inbox-rows.ts';

/** Who reads the rows, and what their client knows. */
export interface TeamView {
  readonly claims: ClientState['claims'];
  readonly principal: Principal | undefined;
  /** By the server's clock, in ms. */
  readonly now: number;
}

/** What people have done about a prompt, on a line of its own: how the votes stand, one's own, too (TEAM3), and who is on it (TEAM4). */
export function renderTeam(entry: InboxEntry, { claims, principal, now }: TeamView): TemplateResult | typeof nothing {
  const { interaction, votes = { approve: 0, deny: 0 }, ownVote } = entry;
  const found = claims.get(keyOf(entry));
  const claim = found && leftOf(found, now) > 0 ? found : undefined;
  const isCounted = needsVotes(interaction);
  if (!isCounted && !claim) return nothing;
  return html`<span class="team">${isCounted ? describeVotes(interaction, votes, ownVote) : nothing}${
    isCounted && claim ? ' · ' : nothing
  }${claim ? describeClaim(claim, principal, isCounted) : nothing}</span>`;
}

function describeClaim(
  { by }: Claim,
  principal: Principal | undefined,
  isAfterWords: boolean,
): string | TemplateResult {
  if (principal && personOf(by) === ownerOf(principal)) return isAfterWords ? 'you are on it' : 'You are on it';
  return html`${renderUntrusted(nameOf(by))} is on it`;
}

/** In how many ms the next claim of these prompts ends; undefined where nobody is on one. */
export function findNextEnd(
  entries: readonly InboxEntry[],
  { claims, now }: Pick<TeamView, 'claims' | 'now'>,
): number | undefined {
  const left = entries.flatMap((entry) => {
    const claim = claims.get(keyOf(entry));
    return claim && leftOf(claim, now) > 0 ? [leftOf(claim, now)] : [];
  });
  return left.length > 0 ? Math.min(...left) : undefined;
}

function leftOf({ until }: Claim, now: number): number {
  return Date.parse(until) - now;
}
