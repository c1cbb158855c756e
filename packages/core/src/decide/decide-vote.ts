import type { OpenPrompt } from '../log/prompt-life.ts';
import { countVotes, findVoteOf, strikeVotes, type Vote } from '../log/vote.ts';
import type { InteractionRequest } from '../prompt/interaction.ts';
import { needsSeveral, needsVotes, quorumOf, type Tally } from '../prompt/quorum.ts';
import { ownerOf } from '../prompt/role.ts';
import type { AnswerCommand } from './command.ts';

/** What an answer comes to where votes are counted. */
export interface Count {
  /** With this vote. */
  readonly votes: Tally;
  readonly isDecisive: boolean;
  /** The vote that it takes the place of. */
  readonly last: Vote | undefined;
  /** Principals whose votes counted before, and do not: their tokens were revoked. */
  readonly struck: string[];
  /** The principals of the other votes that agree: a decision rests on them. */
  readonly agreeing: readonly string[];
}

/** To leave open whether something may happen is to be against it: where votes are counted a cancel is a no (TEAM3). */
export function asVote(command: AnswerCommand, request: InteractionRequest): AnswerCommand {
  if (!needsVotes(request) || command.answer.action !== 'cancel') return command;
  return { ...command, answer: { ...command.answer, action: 'deny' } };
}

/** Whether a vote is put in a person's place: nothing stands for one of several (TEAM3). */
export function isNobodys({ grantId }: AnswerCommand, request: InteractionRequest): boolean {
  return grantId !== undefined && needsSeveral(request);
}

/** Counts the votes that stand with this one, which takes the place of its person's last. Who could vote then counts now. */
export function countVote({ request, votes: known = [] }: OpenPrompt, command: AnswerCommand): Count {
  const { revoked = [], principal } = command;
  const standing = strikeVotes(known, revoked);
  const struck = known.filter((vote) => !standing.includes(vote)).map(({ by }) => by.principal);
  const last = findVoteOf(standing, ownerOf(principal));
  const others = standing.filter((vote) => vote !== last);
  const action = command.answer.action === 'approve' ? 'approve' : 'deny';
  const votes = countVotes([...others, { action }]);
  const agreeing = others.filter((vote) => vote.action === action).map(({ by }) => by.principal);
  return { votes, isDecisive: votes[action] >= quorumOf(request)[action], last, struck, agreeing };
}

/** A vote of this prompt under this answerId, whatever became of it. */
export function findCast(
  prompt: OpenPrompt | undefined,
  { answerId, pastVote }: AnswerCommand,
): Pick<Vote, 'seq' | 'action' | 'by' | 'votes'> | undefined {
  if (pastVote) return { ...pastVote.payload, seq: pastVote.seq };
  return prompt?.votes?.find((vote) => vote.answerId === answerId);
}
