import { type AuditRow, type ChatEvent, isRecord, RefusalError, shownText, termsOf } from '@parleyhq/core';
import { isDigestOf, type Receipt, type StatedSettlement, type StatedVote } from './receipt-format.ts';
import { findStanding } from './receipt-votes.ts';

const removed =
  'There is no receipt: the log does not hold exactly what was shown (a secret was removed from it, or it was changed).';

/** A stored prompt: its request, its votes in order and its settlement, and the audit of its session. */
export interface SettledPrompt {
  readonly request: ChatEvent<'interaction_request'>;
  readonly votes: readonly ChatEvent<'interaction_vote'>[];
  readonly settlement: ChatEvent<'interaction_response' | 'interaction_closed'>;
  readonly rows: readonly AuditRow[];
}

/** Makes the receipt of a settled prompt. @throws RefusalError `not_found` if its digest is not that of what is stored */
export function makeReceipt({ request: asked, votes: cast, settlement: settled, rows }: SettledPrompt): Receipt {
  const { sessionId, timestamp: askedAt, payload: request } = asked;
  const { toolCallId, interactionId, toolName, digest, stepUp } = request;
  const shown = shownText(request);
  const terms = termsOf(request);
  if (!isDigestOf({ shown, digest })) throw new RefusalError('not_found', { message: removed });
  const settlement = describeSettlement(settled);
  const votes = findStanding(cast.map(describeVote), settlement);
  const row = rows.find(({ text }) => isRowOf(text, settlement));
  return {
    ...{ sessionId, toolCallId, interactionId, toolName, askedAt, shown, digest, terms },
    ...(stepUp && { stepUp }),
    settlement,
    ...(votes.length > 0 && { votes }),
    ...(row && { audit: { n: row.n, hash: row.hash } }),
  };
}

function describeSettlement({ type, seq, timestamp: at, payload }: SettledPrompt['settlement']): StatedSettlement {
  return { event: type, seq, at, payload } as StatedSettlement; // the type of an event is that of its payload
}

function describeVote({ seq, timestamp: at, payload }: ChatEvent<'interaction_vote'>): StatedVote {
  return { seq, at, payload };
}

function isRowOf(text: string, { event, seq }: StatedSettlement): boolean {
  if (!text.includes(String(seq))) return false; // without parsing it: a long session has many rows
  const entry: unknown = JSON.parse(text);
  return isRecord(entry) && entry.event === event && entry.seq === seq;
}
