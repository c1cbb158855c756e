import type { SessionClient } from '@parleyhq/client';
import { ExitError, type MessageId } from '@parleyhq/core';
import { readLines } from '../io/plain-text.ts';
import { until } from './event-feed.ts';

/**
 * Sends each line of stdin as a message, each after the previous message's turn has ended.
 * @throws SettingsError if stdin is not UTF-8; ExitError 1 if the last turn did not complete
 */
export async function sendLines(session: SessionClient): Promise<void> {
  let status: string | undefined;
  for await (const line of readLines()) {
    if (line.trim() !== '') status = await sendAndWait(session, line);
  }
  if (status !== undefined && status !== 'completed') throw new ExitError(1, `The turn was not completed: ${status}.`);
}

/** @returns how the turn of the message ended */
async function sendAndWait(session: SessionClient, text: string): Promise<string> {
  const messageId = await session.send(text);
  await until(session, () => endOf(session, messageId) !== undefined);
  return endOf(session, messageId) ?? '';
}

function endOf({ state: { items, phase } }: SessionClient, messageId: MessageId): string | undefined {
  const message = items.get(`message:${messageId}`);
  if (phase === 'gone') return 'the session was deleted';
  if (message?.kind !== 'message') return undefined;
  if (message.unqueued) return 'the message was withdrawn';
  const turn = message.sent && items.get(`turn:${message.turnId}`);
  return turn?.kind === 'turn' ? turn.end?.payload.status : undefined;
}
