import { hash } from 'node:crypto';
import {
  type AuditRow,
  type ChatEvent,
  castVote,
  findVoteOf,
  type InteractionId,
  type InteractionRequest,
  isRecord,
  payloadSchemas,
  personOf,
  RefusalError,
  type SessionId,
  shownText,
  strikeVotes,
  type ToolCallId,
  type Vote,
} from '@parleyhq/core';
import * as z from 'zod';

const moment = { seq: z.int(), at: z.iso.datetime() };

const settlementSchema = z
  .object({
    ...moment,
    event: z.enum(['interaction_response', 'interaction_closed']),
    /** The answer with its actor, or why the prompt was closed: the payload as stored. */
    payload: z.record(z.string(), z.json()),
  })
  .refine(({ event, payload }) => payloadSchemas[event].safeParse(payload).success);

/** A vote with its actor: the payload as stored. */
const voteSchema = z.object({
  ...moment,
  payload: z
    .record(z.string(), z.json())
    .refine((payload) => payloadSchemas.interaction_vote.safeParse(payload).success),
});

const receiptSchema = z.object({
  sessionId: z.string(),
  toolCallId: z.string(),
  interactionId: z.string(),
  toolName: z.string(),
  askedAt: z.iso.datetime(),
  /** What people were shown, as canonical JSON; its SHA-256 in hex is `digest`. */
  shown: z.string().refine(isObjectText),
  digest: z.string(),
  /** Whether each answer other than a refusal had to be signed by a passkey (SIGN2). */
  stepUp: z.literal(true).optional(),
  settlement: settlementSchema,
  /** The votes that counted besides the deciding one, in order (TEAM3). */
  votes: z.array(voteSchema).optional(),
  /** The row of the session's audit that records the settlement, by number and hash (SEC7). */
  audit: z.object({ n: z.int(), hash: z.string() }).optional(),
});

type StoredPayload = z.infer<typeof settlementSchema>['payload'];
type VoteEvent = ChatEvent<'interaction_vote'>;

const changed =
  'There is no receipt: the log does not hold exactly what was shown (a secret was removed from it, or it was changed).';

/** What a receipt states about one prompt: what was shown, what settled it, who did it and when (SIGN3). */
export interface Receipt {
  readonly sessionId: SessionId;
  readonly toolCallId: ToolCallId;
  readonly interactionId: InteractionId;
  readonly toolName: string;
  readonly askedAt: string;
  readonly shown: string;
  readonly digest: string;
  readonly stepUp?: true | undefined;
  readonly settlement: z.infer<typeof settlementSchema>;
  readonly votes?: readonly z.infer<typeof voteSchema>[] | undefined;
  readonly audit?: { readonly n: number; readonly hash: string } | undefined;
}

/** A stored prompt: its request, its votes in order and its settlement, and the audit of its session. */
export interface SettledPrompt {
  readonly request: ChatEvent<'interaction_request'>;
  readonly votes: readonly VoteEvent[];
  readonly settlement: ChatEvent<'interaction_response' | 'interaction_closed'>;
  readonly rows: readonly AuditRow[];
}

/** Makes the receipt of a settled prompt. @throws RefusalError `not_found` if its digest is not that of what is stored */
export function makeReceipt({ request: asked, votes: cast, settlement, rows }: SettledPrompt): Receipt {
  const { sessionId, timestamp: askedAt, payload: request } = asked;
  const { toolCallId, interactionId, toolName, digest, stepUp } = request;
  const shown = shownText(request as InteractionRequest);
  if (!isDigestOf({ shown, digest })) throw new RefusalError('not_found', { message: changed });
  const votes = findStanding(cast, settlement).map(describeVote);
  const { type: event, seq, timestamp: at, payload } = settlement;
  const row = rows.find(({ text }) => isRowOf(text, settlement));
  return {
    ...{ sessionId, toolCallId, interactionId, toolName, askedAt, shown, digest },
    ...(stepUp && { stepUp }),
    settlement: { event, seq, at, payload: payload as StoredPayload },
    ...(votes.length > 0 && { votes }),
    ...(row && { audit: { n: row.n, hash: row.hash } }),
  };
}

/**
 * Returns the votes that counted at the settlement: the last of each person, without those whose tokens were revoked, and without
 * an earlier one of whoever decided.
 */
function findStanding(
  cast: readonly VoteEvent[],
  { type, payload }: SettledPrompt['settlement'],
): readonly VoteEvent[] {
  const votes = cast.reduce<readonly Vote[]>(castVote, []);
  const counted = type === 'interaction_response' ? strikeVotes(votes, payload.struck) : votes;
  const replaced = type === 'interaction_response' ? findVoteOf(counted, personOf(payload.by)) : undefined;
  const seqs = new Set(counted.filter((vote) => vote !== replaced).map(({ seq }) => seq));
  return cast.filter(({ seq }) => seqs.has(seq));
}

function describeVote({ seq, timestamp: at, payload }: VoteEvent): z.infer<typeof voteSchema> {
  return { seq, at, payload: payload as unknown as StoredPayload };
}

function isRowOf(text: string, { type, seq }: SettledPrompt['settlement']): boolean {
  if (!text.includes(String(seq))) return false; // without parsing it: a long session has many rows
  const entry: unknown = JSON.parse(text);
  return isRecord(entry) && entry.event === type && entry.seq === seq;
}

/** Whether a text is that of a JSON object. */
function isObjectText(text: string): boolean {
  try {
    return isRecord(JSON.parse(text));
  } catch {
    return false;
  }
}

/** Reads what was signed as a receipt. @throws Error that says what is wrong */
export function readReceipt(text: string): Receipt {
  const { data } = receiptSchema.safeParse(JSON.parse(text));
  if (!data) throw new Error('It states something else than a receipt does, or a later release wrote it.');
  if (!isDigestOf(data)) throw new Error('What was shown does not have the digest that was stored with it.');
  return data;
}

function isDigestOf({ shown, digest }: Pick<Receipt, 'shown' | 'digest'>): boolean {
  return hash('sha256', shown) === digest;
}
