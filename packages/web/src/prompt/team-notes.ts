import {
  type Audience,
  countVotes,
  describeAudience,
  describeVotes,
  findVoteOf,
  type InteractionItem,
  type InteractionRequest,
  mayAnswer,
  nameOf,
  needsVotes,
  ownerOf,
  type Principal,
  personOf,
  quorumOf,
  requestOf,
  type Vote,
  votesOf,
} from '@parleyhq/core';
import { html, LitElement, nothing, type TemplateResult } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { renderUntrusted } from '../ui/untrusted-text.ts';
import { headingOf } from './words.ts';

const did = { approve: 'approved', deny: 'denied' } as const;

/** Shows what people have done or have to do about a prompt, in the styles of the card around it. */
@customElement('parley-team-notes')
export class TeamNotes extends LitElement {
  @property({ attribute: false }) item!: InteractionItem;
  @property({ attribute: false }) principal!: Principal;

  protected override createRenderRoot(): this {
    return this;
  }

  override render() {
    const { item, principal } = this;
    return item.response ? renderVoters(item) : renderTeamNotes(item, requestOf(item), principal);
  }
}

/** Renders what others have to do with a prompt: the votes so far (TEAM3), and who else was asked by an escalation (TEAM5). */
function renderTeamNotes(
  item: InteractionItem,
  request: InteractionRequest | undefined,
  principal: Principal,
): TemplateResult | typeof nothing {
  if (!request) return nothing;
  const asked = item.escalations ?? [];
  return html`${needsVotes(request) ? renderCount(request, votesOf(item), principal) : nothing}
  ${asked.length === 0 ? nothing : html`<p class="note">Not answered in time, so ${joinWords(asked.map(({ payload }) => renderWhom(payload.audience)))} can, too.</p>`}`;
}

function renderWhom(audience: Audience) {
  return renderUntrusted(describeAudience(audience));
}

/** Renders the votes, such as "1 of 2 approvals: Ann approved; you can decide." */
function renderCount(request: InteractionRequest, votes: readonly Vote[], principal: Principal): TemplateResult {
  const me = ownerOf(principal);
  const own = findVoteOf(votes, me);
  const others = votes.filter((vote) => vote !== own);
  const said = others.map(({ by, action }) => html`${renderUntrusted(nameOf(by))} ${did[action]}`);
  const sentence = [...(own ? [html`you ${did[own.action]} and can change that`] : []), ...said];
  const may = mayAnswer(principal, request) && !own ? explainOwn(request, others) : '';
  return html`<p class="note" role="status">
    <span class="visually-hidden untrusted">${headingOf(request)}: </span><strong>${describeVotes(request, countVotes(votes))}</strong>${sentence.length > 0 ? html`: ${joinWords(sentence)}` : nothing}${may}.
  </p>`;
}

/** Explains what this person's vote would do. */
function explainOwn(request: InteractionRequest, others: readonly Vote[]): string {
  const { approve, deny } = countVotes(others);
  const needed = quorumOf(request);
  const [isLastYes, isLastNo] = [approve + 1 >= needed.approve, deny + 1 >= needed.deny];
  if (isLastYes && isLastNo) return '; you can decide';
  if (isLastYes) return '; your yes decides';
  return isLastNo ? '; your no decides' : '; you can vote';
}

/** Renders the receipt's line about who voted before the prompt was decided. */
function renderVoters(item: InteractionItem): TemplateResult | typeof nothing {
  const { response } = item;
  if (!response?.payload.votes) return nothing;
  const { by, action } = response.payload;
  const others = votesOf(item).filter((vote) => personOf(vote.by) !== personOf(by));
  const decider = html`${renderUntrusted(nameOf(by))} ${did[action === 'approve' ? 'approve' : 'deny']} and decided`;
  const voters = others.map((vote) => html`${renderUntrusted(nameOf(vote.by))} ${did[vote.action]}`);
  return html`<p>${joinWords([...voters, decider])}.</p>`;
}

function joinWords(parts: readonly TemplateResult[]): readonly (string | TemplateResult)[] {
  return parts.flatMap((part, n) => (n === 0 ? [part] : [n === parts.length - 1 ? ' and ' : ', ', part]));
}
