import { type Awaitable, type ChatEvent, keyOf } from '@parleyhq/core';
import type { SessionWriter } from './session-writer.ts';
import type { Transaction } from './transact.ts';

/**
 * Performs a command that stores an event under one of these keys. A repeated request gets the same event, also after a restart
 * (FRM6).
 * @param prepare - called again if what it read has changed
 */
export function storeOnce(
  session: SessionWriter,
  keys: readonly string[],
  prepare: () => Awaitable<Transaction>,
): Promise<ChatEvent> {
  const isKept = (event: ChatEvent) => keys.includes(keyOf(event) ?? '');
  return session.underWay.share(keys.join(), async () => {
    let isStored = false; // a client that moved here from another node repeats what that node may still be storing
    let known: ChatEvent | undefined;
    const stop = session.observe({
      onChange: ({ events }) => {
        isStored ||= events.some(isKept);
      },
    });
    try {
      const performed = await session.transact(async () => {
        known = await findFirst(session, keys);
        if (known) return undefined;
        const { isUpToDate, ...transaction } = await prepare();
        return { ...transaction, isUpToDate: () => !isStored && isUpToDate?.() !== false };
      });
      return performed?.events.find(isKept) ?? (known as ChatEvent);
    } finally {
      stop();
    }
  });
}

async function findFirst({ reader }: SessionWriter, keys: readonly string[]): Promise<ChatEvent | undefined> {
  for (const key of keys) {
    const text = await reader.findEvent(key);
    if (text !== undefined) return JSON.parse(text);
  }
  return undefined;
}
