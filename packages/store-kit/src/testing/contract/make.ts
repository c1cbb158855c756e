import type { Append, AuditClaim, Grant, Head, Session, Store, StoredEvent } from '@parleyhq/core';
import { emptyHead } from '@parleyhq/core';

export function makeSession(id: string, part: Partial<Session> = {}): Session {
  const at = '2026-03-01T12:00:00.000Z';
  return {
    id,
    title: `Session ${id}`,
    agent: 'demo',
    permissionMode: 'default',
    status: 'idle',
    openCount: 0,
    createdAt: at,
    updatedAt: at,
    seq: 0,
    ...part,
  };
}

export function makeHead(seq: number, owner = 'node-1'): Head {
  return { ...emptyHead, seq, turn: { turnId: 'turn-1', agent: 'demo', owner, seq, isWritten: false } };
}

/** Makes a stored event; stores never parse the text, so it need not be a real one. */
export function makeEvent(seq: number, key?: string): StoredEvent {
  return { seq, key, text: JSON.stringify({ seq, key, text: `event ${seq} – ünïcode 👋` }) };
}

/** Makes an append of `count` events after `after`, or of the given events. */
export function makeAppend(sessionId: string, after: number, part: Partial<Append> & { count?: number } = {}): Append {
  const { count = 1, ...rest } = part;
  const events = part.events ?? Array.from({ length: count }, (_, n) => makeEvent(after + n + 1));
  const session = makeSession(sessionId, { seq: after + events.length });
  return { sessionId, expectedSeq: after, events, session, ...rest };
}

export function makeGrant(id: string, part: Partial<Grant> = {}): Grant {
  return {
    id,
    plugin: 'shell',
    key: '"ls"',
    scope: 'session',
    sessionId: 's1',
    createdAt: '2026-03-01T12:00:00.000Z',
    uses: 0,
    ...part,
  };
}

export async function readAll(store: Store, sessionId: string, afterSeq = 0, limit?: number): Promise<string[]> {
  const texts: string[] = [];
  for await (const chunk of store.events.read(sessionId, afterSeq, limit)) texts.push(...chunk);
  return texts;
}

/** Reads the seqs of the stored events. */
export async function readSeqs(store: Store, sessionId: string, afterSeq = 0, limit?: number): Promise<number[]> {
  return (await readAll(store, sessionId, afterSeq, limit)).map((text) => JSON.parse(text).seq);
}

/** Returns the code of a refusal, or `ok`. */
export async function codeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'ok',
    (error) => `${error.name} ${error.code}`,
  );
}

/** Makes the audit row of the answer that event `seq` settles. */
export function makeClaim(seq: number): AuditClaim {
  const ids = { interactionId: `c${seq}.1`, toolCallId: `c${seq}` };
  const at = '2026-03-01T12:00:00.000Z';
  return { event: 'interaction_response', seq, at, ...ids, toolName: 'ask', digest: 'd', outcome: 'approve' };
}
