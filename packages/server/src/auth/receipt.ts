import { hash } from 'node:crypto';
import {
  type AuditRow,
  type ChatEvent,
  type InteractionId,
  type InteractionRequest,
  isRecord,
  type SessionId,
  shownText,
  type ToolCallId,
} from '@parleyhq/core';
import * as z from 'zod';

const settlementSchema = z.object({
  event: z.enum(['interaction_response', 'interaction_closed']),
  seq: z.int(),
  at: z.iso.datetime(),
  /** The answer with its actor, or why the prompt was closed: the payload as stored. */
  payload: z.record(z.string(), z.json()),
});

const receiptSchema = z.object({
  sessionId: z.string(),
  toolCallId: z.string(),
  interactionId: z.string(),
  toolName: z.string(),
  askedAt: z.iso.datetime(),
  /** What people were shown, as canonical JSON; its SHA-256 in hex is `digest`. */
  shown: z.string(),
  digest: z.string(),
  settlement: settlementSchema,
  /** The row of the session's audit that records the settlement, by number and hash (SEC7). */
  audit: z.object({ n: z.int(), hash: z.string() }).optional(),
});

/** What a receipt states about one prompt: what was shown, what settled it, who did it and when (SIGN3). */
export interface Receipt {
  readonly sessionId: SessionId;
  readonly toolCallId: ToolCallId;
  readonly interactionId: InteractionId;
  readonly toolName: string;
  readonly askedAt: string;
  readonly shown: string;
  readonly digest: string;
  readonly settlement: z.infer<typeof settlementSchema>;
  readonly audit?: { readonly n: number; readonly hash: string } | undefined;
}

/** A stored prompt: its request and its settlement, and the audit of its session. */
export interface SettledPrompt {
  readonly request: ChatEvent<'interaction_request'>;
  readonly settlement: ChatEvent<'interaction_response' | 'interaction_closed'>;
  readonly rows: readonly AuditRow[];
}

/** Makes the receipt of a settled prompt. @throws Error if its digest is not that of what is stored */
export function makeReceipt({ request: asked, settlement, rows }: SettledPrompt): Receipt {
  const { sessionId, timestamp: askedAt, payload: request } = asked;
  const { toolCallId, interactionId, toolName, digest } = request;
  const shown = shownText(request as InteractionRequest);
  requireDigest({ shown, digest });
  const { type: event, seq, timestamp: at, payload } = settlement;
  const row = rows.find(({ text }) => isRowOf(text, settlement));
  return {
    ...{ sessionId, toolCallId, interactionId, toolName, askedAt, shown, digest },
    settlement: { event, seq, at, payload: payload as z.infer<typeof settlementSchema>['payload'] },
    ...(row && { audit: { n: row.n, hash: row.hash } }),
  };
}

function isRowOf(text: string, { type, seq }: SettledPrompt['settlement']): boolean {
  const entry: unknown = JSON.parse(text);
  return isRecord(entry) && entry.event === type && entry.seq === seq;
}

/** Reads what was signed as a receipt. @throws Error that says what is wrong */
export function readReceipt(text: string): Receipt {
  const receipt = receiptSchema.parse(JSON.parse(text));
  requireDigest(receipt);
  return receipt;
}

function requireDigest({ shown, digest }: Pick<Receipt, 'shown' | 'digest'>): void {
  if (hash('sha256', shown) !== digest)
    throw new Error('What was shown does not have the digest that was stored with it.');
}
