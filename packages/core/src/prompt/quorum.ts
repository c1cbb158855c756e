import * as z from 'zod/mini';

/** Votes that a prompt may take at most. A larger number would wait for people whom nobody has. */
const mostVotes = z.int().check(z.positive(), z.maximum(50));

/** How many votes decide an approval: this many for it, or this many against it, whichever come first (TEAM3). */
export const quorumSchema = z.object({ approve: mostVotes, deny: z.optional(mostVotes) });
export type Quorum = z.infer<typeof quorumSchema>;

/** Votes for and against, one a person. */
export const tallySchema = z.object({ approve: z.int(), deny: z.int() });
export type Tally = z.infer<typeof tallySchema>;

interface Decided {
  readonly decide?: Quorum | undefined;
}

/** The votes that decide; one of either where the request does not say: then the first response wins (INT4). */
export function quorumOf({ decide }: Decided): Tally {
  return { approve: decide?.approve ?? 1, deny: decide?.deny ?? 1 };
}

/** Whether one answer alone may not decide. */
export function needsVotes(asked: Decided): boolean {
  const { approve, deny } = quorumOf(asked);
  return approve > 1 || deny > 1;
}

/** Whether one person's yes is not enough: nothing stands for it then, and it counts for what was shown, once (TEAM3). */
export function needsSeveral(asked: Decided): boolean {
  return quorumOf(asked).approve > 1;
}

/** What satisfies both: as many for it as either wants, and as few against it. */
export function narrowQuorum(a: Quorum | undefined, b: Quorum | undefined): Quorum | undefined {
  if (!a || !b) return a ?? b;
  const [first, second] = [quorumOf({ decide: a }), quorumOf({ decide: b })];
  const deny = Math.min(first.deny, second.deny);
  return { approve: Math.max(first.approve, second.approve), ...(deny > 1 && { deny }) };
}
