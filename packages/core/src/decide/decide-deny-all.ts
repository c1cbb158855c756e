import type { Head } from '../log/head.ts';
import { type Command, type Decision, type Facts, refuse } from './command.ts';
import { decideAnswer } from './decide-answer.ts';
import { decideSend } from './decide-turn.ts';

type Accepted = Extract<Decision, { kind: 'accepted' }>;

/**
 * Denies prompts and sends the words as the next message, in one append (REV5). Each denial is judged like any other answer, and one
 * that does not count is left out; if none counts, nothing is sent.
 */
export function decideDenyAll(
  head: Head,
  { answers, message }: Extract<Command, { type: 'deny_all' }>,
  facts: Facts,
): Decision {
  const sent = decideSend(head, { type: 'send', message }, facts);
  if (sent.kind !== 'accepted') return sent;
  const denials = answers.map((answer) => decideAnswer(head, answer, facts));
  const accepted = denials.filter((denial): denial is Accepted => denial.kind === 'accepted');
  if (accepted.length === 0) {
    const refused = denials.find(({ kind }) => kind === 'refused');
    return refused ?? refuse('not_found', undefined, 'Nothing is asked in this turn that you could deny.');
  }
  return {
    kind: 'accepted',
    events: [...sent.events, ...accepted.flatMap(({ events }) => events)],
    voters: accepted.flatMap(({ voters = [] }) => voters),
  };
}
