import { callOfInteraction, canonicalise, isTooDeep, quorumSchema, storedDepth } from '@parleyhq/core';
import * as z from 'zod';
import { isDigestOf, isReceipt, type Receipt } from './receipt-format.ts';
import { findVoteFault } from './receipt-votes.ts';

/** Stored values, and what a receipt has around them. */
const maxDepth = storedDepth + 10;

/** The members of what was shown that a receipt states elsewhere, too, or that its votes depend on. */
const shownSchema = z.looseObject({ tool: z.string(), type: z.string(), decide: z.optional(quorumSchema) });

/**
 * Reads what was signed as a receipt: the value that was parsed itself, because what a schema rebuilds lacks members such as
 * `__proto__`, which ran all the same.
 * @throws Error that says what is wrong
 */
export function readReceipt(bytes: Buffer): Receipt {
  const text = bytes.toString();
  if (isTooDeep(text, maxDepth)) throw new Error('It is nested too deeply.');
  const receipt: unknown = JSON.parse(text);
  if (!isReceipt(receipt))
    throw new Error('It states something else than a receipt does, or a later release wrote it.');
  if (!Buffer.from(canonicalise(receipt)).equals(bytes))
    throw new Error(
      'It is not canonical JSON: it may name something twice, and other programs may read it differently.',
    );
  if (!isDigestOf(receipt)) throw new Error('What was shown does not have the digest that was stored with it.');
  const fault = findFault(receipt);
  if (fault !== undefined) throw new Error(`It contradicts itself. ${fault}`);
  return receipt;
}

/**
 * Returns what contradicts itself in a receipt, as a sentence: passkeys sign what was shown, so what the receipt states about it
 * elsewhere must be the same, and its votes must settle it.
 */
function findFault(receipt: Receipt): string | undefined {
  const { toolCallId, interactionId, toolName, shown, votes = [], settlement } = receipt;
  const value: unknown = JSON.parse(shown);
  if (canonicalise(value) !== shown) return 'What was shown is not canonical JSON: it may name something twice.';
  const { data } = shownSchema.safeParse(value);
  if (!data) return 'What was shown is not what a prompt shows.';
  if (data.tool !== toolName) return `Its tool is ${toolName}, but what was shown is about another.`;
  const stated = [...votes, settlement];
  const isSame = ({ payload }: (typeof stated)[number]) =>
    payload.interactionId === interactionId && payload.toolCallId === toolCallId;
  if (callOfInteraction(interactionId) !== toolCallId || !stated.every(isSame))
    return 'Its answer or a vote is about another prompt or call.';
  const seqs = stated.map(({ seq }) => seq);
  if (seqs.some((seq, at) => seq <= (seqs[at - 1] ?? 0)))
    return 'Its votes are not in order, or not before what settled it.';
  return findVoteFault(receipt, data.decide);
}
