import {
  castVote,
  countVotes,
  findVoteOf,
  needsSeveral,
  needsVotes,
  type Payload,
  personOf,
  type Quorum,
  quorumOf,
  strikeVotes,
  type Tally,
  type Vote,
} from '@parleyhq/core';
import type { Receipt, StatedSettlement, StatedVote } from './receipt-format.ts';

/**
 * Returns the votes that counted at the settlement: the last of each person, without those whose tokens were revoked, and without
 * an earlier one of whoever decided.
 */
export function findStanding(cast: readonly StatedVote[], settlement: StatedSettlement): readonly StatedVote[] {
  const votes = cast.reduce<readonly Vote[]>(
    (known, { seq, at: timestamp, payload }) => castVote(known, { seq, timestamp, payload }),
    [],
  );
  const seqs = new Set(withoutReplaced(votes, settlement).map(({ seq }) => seq));
  return cast.filter(({ seq }) => seqs.has(seq));
}

function withoutReplaced(votes: readonly Vote[], { event, payload }: StatedSettlement): readonly Vote[] {
  if (event !== 'interaction_response') return votes;
  const counted = strikeVotes(votes, payload.struck);
  const replaced = findVoteOf(counted, personOf(payload.by));
  return counted.filter((vote) => vote !== replaced);
}

/**
 * Returns what is wrong with the votes of a receipt, as a sentence: they must be those of different persons, and settle the prompt
 * as `decide` says that people were shown (TEAM3).
 */
export function findVoteFault(
  { votes = [], settlement }: Pick<Receipt, 'votes' | 'settlement'>,
  decide: Quorum | undefined,
): string | undefined {
  const isCounted = needsVotes({ decide });
  if (!isCounted && votes.length > 0) return 'It states votes, but what was shown took one answer.';
  if (findStanding(votes, settlement).length < votes.length)
    return 'It counts a person twice, or a vote that was void.';
  const before = countVotes(votes.map(({ payload }) => payload));
  const quorum = quorumOf({ decide });
  if (before.approve >= quorum.approve || before.deny >= quorum.deny)
    return 'It states votes that had decided before the answer that it states.';
  if (settlement.event !== 'interaction_response') return undefined;
  const { action, grantId, votes: stated } = settlement.payload;
  if (!isCounted) return stated && 'It states a tally, but what was shown took one answer.';
  if (grantId !== undefined && needsSeveral({ decide }))
    return 'It states that a grant decided what takes several people.';
  return findTallyFault(action, { before, stated, quorum });
}

function findTallyFault(
  action: Payload<'interaction_response'>['action'],
  { before, stated, quorum }: { before: Tally; stated: Tally | undefined; quorum: Tally },
): string | undefined {
  if (action !== 'approve' && action !== 'deny') return 'It states an answer that is not a vote.';
  const tally = { ...before, [action]: before[action] + 1 };
  if (stated?.approve !== tally.approve || stated.deny !== tally.deny) return 'Its tally is not that of its votes.';
  return tally[action] < quorum[action] ? 'It states fewer votes than it takes to decide.' : undefined;
}
