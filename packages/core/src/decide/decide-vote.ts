import type { OpenPrompt } from '../log/prompt-life.ts';
import { countVotes, findVoteOf, strikeVotes, toVoter, type Vote, type Voter } from '../log/vote.ts';
import type { InteractionRequest } from '../prompt/interaction-request.ts';
import { needsSeveral, needsVotes, quorumOf, type Tally } from '../prompt/quorum.ts';
import { ownerOf } from '../prompt/role.ts';
import type { AnswerCommand } from './command.ts';

/** Effect of a vote on the tally. */
export interface Count {
  /** Tally including this vote. */
  readonly votes: Tally;
  readonly isDecisive: boolean;
  /** The same person's earlier vote, which it replaces. */
  readonly last: Vote | undefined;
  /** Principals whose votes no longer count, because their tokens were revoked. */
  readonly struck: string[];
  /** The other votes for the same action: a decision depends on them. */
  readonly agreeing: readonly Voter[];
}

/** When votes are counted, a cancel counts as a denial (TEAM3). */
export function asVote(command: AnswerCommand, request: InteractionRequest): AnswerCommand {
  if (!needsVotes(request) || command.answer.action !== 'cancel') return command;
  return { ...command, answer: { ...command.answer, action: 'deny' } };
}

/** Whether a grant would vote: none may do so if several people must agree (TEAM3). */
export function isGrantVote({ grantId }: AnswerCommand, request: InteractionRequest): boolean {
  return grantId !== undefined && needsSeveral(request);
}

/**
 * Counts the valid votes with this one, which replaces its person's last. A vote counts if its voter could vote when they cast
 * it.
 */
export function countVote({ request, votes: known = [] }: OpenPrompt, command: AnswerCommand): Count {
  const { revoked = [], principal } = command;
  const standing = strikeVotes(known, revoked);
  const struck = known.filter((vote) => !standing.includes(vote)).map(({ by }) => by.principal);
  const last = findVoteOf(standing, ownerOf(principal));
  const others = standing.filter((vote) => vote !== last);
  const action = command.answer.action === 'approve' ? 'approve' : 'deny';
  const votes = countVotes([...others, { action }]);
  const agreeing = others.filter((vote) => vote.action === action).map(toVoter);
  return { votes, isDecisive: votes[action] >= quorumOf(request)[action], last, struck, agreeing };
}

/** Returns an earlier vote under this answerId, even if it no longer counts. */
export function findCast(
  prompt: OpenPrompt | undefined,
  { answerId, pastVote }: AnswerCommand,
): Pick<Vote, 'seq' | 'action' | 'by' | 'votes'> | undefined {
  if (pastVote) return { ...pastVote.payload, seq: pastVote.seq };
  return prompt?.votes?.find((vote) => vote.answerId === answerId);
}
