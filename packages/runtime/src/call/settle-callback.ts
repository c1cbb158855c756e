import { type EventIndex, findCall, type Instant, isRecord, type Json, RefusalError, redacted } from '@parleyhq/core';
import type { Secrets } from '../log/secrets.ts';
import type { SessionWriter } from '../session/session-writer.ts';
import type { CallbackWait } from './call-services.ts';
import { type CallbackRecord, callbackKeys, type WaitRecord } from './callback-records.ts';

/**
 * Reads the records of a callback that may still be called. While a wait is open, the callback may be called even after `until`:
 * the wait's own timer ends it, and a restart extends that timer (INT10).
 * @throws RefusalError `closed` if the callback has ended
 */
export async function readCallback(
  session: SessionWriter,
  { toolCallId, key }: CallbackWait,
  { index, now }: { readonly index: EventIndex; readonly now: () => Instant },
): Promise<{ readonly opened: CallbackRecord; readonly wait: WaitRecord | undefined }> {
  await session.missed.read();
  const call = findCall(session.head, toolCallId);
  if (!call || call.callbacks?.some((settled) => settled.key === key)) throw new RefusalError('closed');
  const records = new Map((await index.records(session.id, toolCallId)).map(({ key, value }) => [key, value]));
  const opened = records.get(callbackKeys.opened(key));
  const wait = records.get(callbackKeys.wait(key)) as WaitRecord | undefined;
  if (!isRecord(opened)) throw new RefusalError('closed');
  const { until } = opened as CallbackRecord;
  if (until !== undefined && until <= now() && !wait) throw new RefusalError('closed');
  return { opened: opened as CallbackRecord, wait };
}

/**
 * Ends the wait with the posted value. A value that contains a secret is passed to the waiting handler but not recorded (INT17).
 * @throws RefusalError `closed` if the callback has ended
 */
export async function settleCallback(
  session: SessionWriter,
  { toolCallId, key }: CallbackWait,
  value: Json,
  { secrets }: { readonly secrets: Secrets },
): Promise<void> {
  const came = { toolCallId, key: callbackKeys.posted(key), value };
  const isSecret = secrets.occursIn(value);
  const records = [isSecret ? { ...came, value: redacted } : came];
  const beside = isSecret ? { posted: came } : {};
  await session.perform({ type: 'settle_callback', toolCallId, key, outcome: 'received' }, { records, ...beside });
}
