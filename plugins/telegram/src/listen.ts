import { setTimeout as sleep } from 'node:timers/promises';
import type { ListenHost } from '@parleyhq/core';
import type { Api } from 'grammy';
import type { Update } from 'grammy/types';
import { makeApi, type Signal } from './config.ts';
import { Desk } from './desk.ts';
import { attempt, TelegramFailure, toFailure, waitOf } from './failure.ts';
import { delayAfter } from './retry.ts';
import { Screen } from './screen.ts';

/** In seconds: how long Telegram holds a request for updates. */
const pollSeconds = 30;

const allowed = ['message', 'callback_query', 'my_chat_member'] as const;

/**
 * Receives what people press and write, one update after the other. Telegram forgets an update only when the next ones are asked
 * for, so whatever a restart interrupts is delivered again: handling an update twice must be harmless.
 */
export async function listen(host: ListenHost, signal: AbortSignal): Promise<void> {
  try {
    await receive(host, signal);
  } catch (error) {
    if (!signal.aborted && error instanceof TelegramFailure) host.log.warn(error.message); // the server logs its code only
    throw error;
  }
}

async function receive(host: ListenHost, signal: AbortSignal): Promise<void> {
  const api = makeApi(host.config);
  await attempt(() => api.deleteWebhook(), signal); // otherwise Telegram refuses polling
  const bot = await attempt(() => api.getMe(), signal);
  const desk = new Desk({ host, screen: new Screen(api, host), botName: bot.username });
  host.log.info(`Telegram: @${bot.username} takes answers.`);
  for (let offset: number | undefined; !signal.aborted; ) {
    const updates = await poll(api, offset, signal);
    for (const update of updates) {
      if (signal.aborted) return; // delivered again to whoever listens next
      if (!(await handle(desk, update, { host, signal }))) return;
      offset = update.update_id + 1;
      if (changesLink(update)) break; // the rest comes after this one is confirmed
    }
  }
}

/**
 * Whether an update may link an account or end a link. Delivered again after a later one of them, it would undo that: so it is
 * confirmed first.
 */
function changesLink({ message, my_chat_member: member }: Update): boolean {
  return member !== undefined || message?.text?.startsWith('/') === true;
}

/** Handles an update, again if the server cannot now. Returns false if it is to be delivered again to whoever listens next. */
async function handle(
  desk: Desk,
  update: Update,
  { host, signal }: { readonly host: ListenHost; readonly signal: AbortSignal },
): Promise<boolean> {
  for (let tries = 1; ; tries += 1) {
    try {
      await desk.handle(update);
      return true;
    } catch (error) {
      const { code } = Object(error) as { readonly code?: unknown };
      const delay = delayAfter(code, tries);
      if (delay === undefined) {
        host.log.error('Telegram: an update could not be handled, and was skipped.', { code });
        await desk.excuse(update, code);
        return true;
      }
      await sleep(delay * 1000, undefined, { signal }).catch(() => undefined); // the signal aborted
      if (signal.aborted) return false;
    }
  }
}

async function poll(api: Api, offset: number | undefined, signal: AbortSignal): Promise<readonly Update[]> {
  try {
    const wanted = { timeout: pollSeconds, allowed_updates: allowed, ...(offset !== undefined && { offset }) };
    return await api.getUpdates(wanted, signal as Signal);
  } catch (error) {
    if (signal.aborted) return [];
    const wait = waitOf(error);
    if (wait === undefined) throw toFailure(error);
    await sleep(wait * 1000, undefined, { signal }).catch(() => undefined); // the signal aborted
    return [];
  }
}
