import * as z from 'zod/mini';

/** Maximum number of votes. A larger one could probably never be reached. */
const mostVotes = z.int().check(z.positive(), z.maximum(50));

/** The votes that decide an approval: this many for it, or this many against it, whichever come first (TEAM3). */
export const quorumSchema = z.object({ approve: mostVotes, deny: z.optional(mostVotes) });
export type Quorum = z.infer<typeof quorumSchema>;

/** Votes for and against, one per person. */
export const tallySchema = z.object({ approve: z.int(), deny: z.int() });
export type Tally = z.infer<typeof tallySchema>;

interface Decided {
  readonly decide?: Quorum | undefined;
}

/** Returns the number of votes that decides; one each by default, so that the first response wins (INT4). */
export function quorumOf({ decide }: Decided): Tally {
  return { approve: decide?.approve ?? 1, deny: decide?.deny ?? 1 };
}

/** Whether a decision takes more than one answer. */
export function needsVotes(asked: Decided): boolean {
  const { approve, deny } = quorumOf(asked);
  return approve > 1 || deny > 1;
}

/**
 * Whether one person's approval is not enough. Then no grant may replace a vote, and it counts once, for what was shown (TEAM3).
 */
export function needsSeveral(asked: Decided): boolean {
  return quorumOf(asked).approve > 1;
}

/** Returns the stricter of two quorums: the larger number for approval, the smaller one for denial. */
export function narrowQuorum(a: Quorum | undefined, b: Quorum | undefined): Quorum | undefined {
  if (!a || !b) return a ?? b;
  const [first, second] = [quorumOf({ decide: a }), quorumOf({ decide: b })];
  const deny = Math.min(first.deny, second.deny);
  return { approve: Math.max(first.approve, second.approve), ...(deny > 1 && { deny }) };
}
