import type { AnswerId, Seq } from '../basics/id.ts';
import type { Actor } from '../prompt/interaction.ts';
import type { Tally } from '../prompt/quorum.ts';
import { personOf } from '../prompt/role.ts';
import type { ChatEvent, Payload } from './event.ts';

/** The parts of a vote's event that are used here. */
type VoteEvent = Pick<ChatEvent<'interaction_vote'>, 'payload' | 'seq' | 'timestamp'>;

/** Maximum number of times that a person may change their vote on a prompt. */
export const maxVoteChanges = 20;

/** A person's vote on a prompt that is not decided yet. Its reason is only in the log (TEAM3). */
export interface Vote extends Pick<Payload<'interaction_vote'>, 'action' | 'votes'> {
  readonly answerId: AnswerId;
  readonly by: Actor;
  /** Position and time of its event. */
  readonly seq: Seq;
  readonly timestamp: string;
  /** Number of times that its person changed it. */
  readonly changes: number;
}

/** Returns the votes after one more: each person has one, and those whose tokens were revoked have none. */
export function castVote(votes: readonly Vote[] = [], { payload, seq, timestamp }: VoteEvent): readonly Vote[] {
  const { answerId, action, by, votes: tally, struck } = payload;
  const standing = strikeVotes(votes, struck);
  const last = findVoteOf(standing, personOf(by));
  const changes = last ? last.changes + 1 : 0;
  return [...standing.filter((vote) => vote !== last), { answerId, action, by, votes: tally, seq, timestamp, changes }];
}

/** A vote that a decision depends on: its principal, whose token must have lived on since that time (TEAM3). */
export interface Voter {
  readonly id: string;
  readonly votedAt: string;
}

export function toVoter({ by, timestamp }: Vote): Voter {
  return { id: by.principal, votedAt: timestamp };
}

/**
 * Whether a token has lived on since a time, such as that of its holder's vote. Somebody who logs in at a provider has the same
 * principal after a revocation, but a token of later creation.
 * @param createdAt - when the token of that id was created; undefined if there is none
 */
export function livesOn(since: string, createdAt: string | undefined): boolean {
  return createdAt !== undefined && createdAt <= since;
}

/** Removes votes. @param struck - ids of principals whose tokens were revoked */
export function strikeVotes(votes: readonly Vote[], struck: readonly string[] = []): readonly Vote[] {
  return struck.length === 0 ? votes : votes.filter(({ by }) => !struck.includes(by.principal));
}

export function findVoteOf(votes: readonly Vote[], person: string): Vote | undefined {
  return votes.find(({ by }) => personOf(by) === person);
}

/** Returns the reader's own vote for an entry of the inbox; empty if there is none. */
export function ownVoteOf(votes: readonly Vote[], person: string): { readonly ownVote?: Vote['action'] } {
  const vote = findVoteOf(votes, person);
  return vote ? { ownVote: vote.action } : {};
}

/** Whether the vote has been changed as often as is allowed. */
export function isUnchangeable({ changes }: Vote): boolean {
  return changes >= maxVoteChanges;
}

export function countVotes(votes: readonly Pick<Vote, 'action'>[]): Tally {
  const approve = votes.filter(({ action }) => action === 'approve').length;
  return { approve, deny: votes.length - approve };
}
