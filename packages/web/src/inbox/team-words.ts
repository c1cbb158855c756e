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
import { keyOf } from './snooze.ts';

/** The person who reads the rows, and what their client knows. */
export interface TeamView {
  readonly claims: ClientState['claims'];
  readonly principal: Principal | undefined;
  /** The server's time, in ms. */
  readonly now: number;
}

/**
 * Renders what people have done about a prompt: the votes so far, including one's own (TEAM3), who has claimed it (TEAM4), and
 * what was said last (REV4).
 */
export function renderTeam(entry: InboxEntry, { claims, principal, now }: TeamView): TemplateResult | typeof nothing {
  const { interaction, votes = { approve: 0, deny: 0 }, ownVote, comments } = entry;
  const found = claims.get(keyOf(entry));
  const claim = found && leftOf(found, now) > 0 ? found : undefined;
  const isCounted = needsVotes(interaction);
  const parts = [
    isCounted ? describeVotes(interaction, votes, ownVote) : nothing,
    claim ? describeClaim(claim, principal, isCounted) : nothing,
  ].filter((part) => part !== nothing);
  if (parts.length === 0 && !comments) return nothing;
  const said =
    comments && html`<span class="said">${renderUntrusted(comments.by)}: “${renderUntrusted(comments.text)}”</span>`;
  return html`<span class="team">${parts.map((part, n) => html`${n > 0 ? ' · ' : nothing}${part}`)}${said}</span>`;
}

export function describeVote(vote: NonNullable<InboxEntry['ownVote']>): string {
  return vote === 'approve' ? 'You approved' : 'You denied';
}

function describeClaim(
  { by }: Claim,
  principal: Principal | undefined,
  isAfterWords: boolean,
): string | TemplateResult {
  if (principal && personOf(by) === ownerOf(principal)) return isAfterWords ? 'you are on it' : 'You are on it';
  return html`${renderUntrusted(nameOf(by))} is on it`;
}

/** Returns in how many ms the next claim on these prompts ends; undefined if there is none. */
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
