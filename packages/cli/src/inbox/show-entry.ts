import {
  type ApprovalScope,
  describeQuorum,
  describeReasons,
  describeVotes,
  headingOf,
  type InboxEntry,
  listActions,
  needsStepUp,
  needsVotes,
  splitLines,
  type Tally,
  titleOf,
} from '@parleyhq/core';
import { formatMoment } from '@parleyhq/core/transcript';
import { describeErrors, describeLastComment, isOver } from '../terminal/prompt-words.ts';
import { showField } from './show-field.ts';

const noVotes: Tally = { approve: 0, deny: 0 };

/** Describes an entry on one line, for a list. @param now - in ms since 1970 */
export function describeEntry(entry: InboxEntry, now = Date.now()): string {
  const { sessionId, sessionTitle = sessionId, interaction, pending, votes = noVotes, ownVote, comments } = entry;
  const { interactionId, interactionType, risk, expiresAt } = interaction;
  const what = risk === undefined ? interactionType : `${interactionType}, ${risk} risk`;
  const due = expiresAt && describeDue(expiresAt, now);
  const until = pending ? '  (late answers are taken)' : due ? `  ${due}` : '';
  const count = needsVotes(interaction) ? `  ${describeVotes(interaction, votes, ownVote)}` : '';
  const said = comments ? `  ${describeLastComment(comments)}` : '';
  return `${interactionId}  ${what}  ${headingOf(interaction)}  in ${sessionTitle}${count}${until}${said}`;
}

function describeDue(expiresAt: string, now: number): string {
  const moment = formatMoment(expiresAt);
  return isOver(expiresAt, now) ? `expired at ${moment}, but still open` : `until ${moment}`;
}

/**
 * Describes everything that a person needs to know to answer, and last the possible answers.
 * @param isOffered - whether the person may answer with a scope
 */
export function showEntry(
  entry: InboxEntry,
  discussion: string | undefined,
  isOffered: (scope: ApprovalScope) => boolean = () => true,
): string {
  const { interaction, votes, ownVote } = entry;
  const { prompt, subject, url, inputSchema, initialValues } = interaction;
  const { approvalScopes = [], rules = [], actions: buttons = [], reasonRequired, wordsOnlyWithDenial } = interaction;
  const faults = describeErrors(interaction);
  const soFar = votes ? `; so far ${describeVotes(interaction, votes, ownVote)}` : '';
  const quorum = needsVotes(interaction) ? [`decided by ${describeQuorum(interaction)}${soFar}`] : [];
  const reasons = reasonRequired ? [`--reason is needed for ${describeReasons(reasonRequired)}`] : [];
  const lost = wordsOnlyWithDenial ? ['whoever asks reads --reason and --comment only if you deny'] : [];
  const mine = approvalScopes.filter(isOffered);
  const scopes = mine.length > 1 ? [`--scope: ${mine.join(', ')}`] : [];
  const ownRules = rules
    .map((rule) => ({ ...rule, scopes: rule.scopes.filter(isOffered) }))
    .filter((rule) => rule.scopes.length > 0);
  const pressed = interaction.stepUp ? [] : buttons.map(({ id }) => `--button ${id}`);
  const actions = listActions(interaction).filter((action) => !needsStepUp(interaction, action));
  const answers = [...actions, ...pressed];
  const signed = interaction.stepUp ? ['needs your passkey: open it on the page to answer with more than a no'] : [];
  const parts = [
    describeEntry(entry),
    titleOf(interaction),
    prompt,
    subject && numberLines(subject.text),
    url,
    faults.length > 0 ? `not accepted: ${faults.join('\n')}` : undefined,
    inputSchema?.fields.map((field) => showField(field, initialValues)).join('\n'),
    ...buttons.map(
      ({ id, label, keepsInput }) => `--button ${id}: ${label}${keepsInput ? ', with the --input so far' : ''}`,
    ),
    ...quorum,
    ...reasons,
    ...signed,
    ...lost,
    ...scopes,
    ...ownRules.map(({ id, label, scopes }) => `--rule ${id}: ${label} (--scope ${scopes.join(' or ')})`),
    discussion,
    `answers: ${answers.join(', ')}`,
  ];
  return `${parts.filter((part) => part !== undefined).join('\n\n')}\n`;
}

/** Numbers the lines as `--comment` counts them, if there are several. */
function numberLines(text: string): string {
  const lines = splitLines(text);
  if (lines.length === 1) return text;
  const width = String(lines.length).length;
  return lines.map((line, at) => `${String(at + 1).padStart(width)}  ${line}`.trimEnd()).join('\n');
}
