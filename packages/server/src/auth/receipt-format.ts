import { hash } from 'node:crypto';
import { isRecord, payloadSchemas, termsSchema } from '@parleyhq/core';
import * as z from 'zod';

const moment = { seq: z.int(), at: z.iso.datetime() };

/** The answer with its actor, or why the prompt was closed: the payload as stored. */
const settlementSchema = z.discriminatedUnion('event', [
  z.strictObject({
    ...moment,
    event: z.literal('interaction_response'),
    payload: payloadSchemas.interaction_response,
  }),
  z.strictObject({ ...moment, event: z.literal('interaction_closed'), payload: payloadSchemas.interaction_closed }),
]);

/** A vote with its actor: the payload as stored. */
const voteSchema = z.strictObject({ ...moment, payload: payloadSchemas.interaction_vote });

const receiptSchema = z.strictObject({
  sessionId: z.string(),
  toolCallId: z.string(),
  interactionId: z.string(),
  toolName: z.string(),
  askedAt: z.iso.datetime(),
  /** What people were shown, as canonical JSON; its SHA-256 in hex is `digest`. */
  shown: z.string().refine(isObjectText),
  digest: z.string(),
  /** What people were shown besides; receipts of versions 1 and 2 lack it. */
  terms: z.optional(termsSchema),
  /** Whether each answer other than a refusal had to be signed by a passkey (SIGN2). */
  stepUp: z.literal(true).optional(),
  settlement: settlementSchema,
  /** The votes that counted besides the deciding one, in order (TEAM3). */
  votes: z.array(voteSchema).readonly().optional(),
  /** The row of the session's audit that records the settlement, by number and hash (SEC7). */
  audit: z.strictObject({ n: z.int(), hash: z.string() }).optional(),
});

/** What a receipt states about one prompt: what was shown, what settled it, who did it and when (SIGN3). */
export type Receipt = Readonly<z.infer<typeof receiptSchema>>;
/** What settled a prompt, as a receipt states it. */
export type StatedSettlement = Readonly<z.infer<typeof settlementSchema>>;
/** A vote as a receipt states it. */
export type StatedVote = Readonly<z.infer<typeof voteSchema>>;

/** Whether a value has the members of a receipt, and no other. */
export function isReceipt(value: unknown): value is Receipt {
  return receiptSchema.safeParse(value).success;
}

/** Whether a digest is that of what was shown. */
export function isDigestOf({ shown, digest }: Pick<Receipt, 'shown' | 'digest'>): boolean {
  return hash('sha256', shown) === digest;
}

/** Whether a text is that of a JSON object. */
function isObjectText(text: string): boolean {
  try {
    return isRecord(JSON.parse(text));
  } catch {
    return false;
  }
}
