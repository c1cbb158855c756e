import { setTimeout as sleep } from 'node:timers/promises';
import type { ListenHost } from '@parleyhq/core';
import type { Api } from 'grammy';
import type { Update } from 'grammy/types';
import { makeApi, type Signal } from './config.ts';
import { Desk } from './desk.ts';
import { attempt, TelegramFailure, toFailure, waitOf } from './failure.ts';
import { delayAfter } from './retry.ts';
import { Screen } from './screen.ts';
import { Updates } from './updates.ts';

/** In seconds: how long Telegram holds a request for updates. */
const pollSeconds = 30;

const allowed = ['message', 'callback_query', 'my_chat_member'] as const;

/** In ms: how long what others did since is left waiting while somebody's updates take their time. */
const longestWait = 1000;

/**
 * Receives what people press and write. Telegram forgets an update only when the next ones are asked for, so whatever a restart
 * interrupts is delivered again: handling an update twice must be harmless.
 */
export async function listen(host: ListenHost, signal: AbortSignal): Promise<void> {
  try {
    await receive(host, signal);
  } catch (error) {
    if (!signal.aborted && error instanceof TelegramFailure) host.log.warn(error.message); // the server logs its code only
    throw error;
  }
}

async function receive(host: ListenHost, stopping: AbortSignal): Promise<void> {
  const leaving = new AbortController();
  const signal = AbortSignal.any([stopping, leaving.signal]);
  const api = makeApi(host.config);
  await attempt(() => api.deleteWebhook(), signal); // otherwise Telegram refuses polling
  const bot = await attempt(() => api.getMe(), signal);
  const desk = new Desk({ host, screen: new Screen(api, host), botName: bot.username });
  const updates = new Updates((update) => handle(desk, update, { host, signal }));
  host.log.info(`Telegram: @${bot.username} takes answers.`);
  try {
    while (!signal.aborted) {
      updates.take(await poll(api, updates.confirm(), signal));
      await updates.settle(longestWait);
    }
  } finally {
    leaving.abort(); // whatever is not handled is delivered again to whoever listens next
    await updates.settle();
  }
}

/** Handles an update, again if the server cannot now. */
async function handle(
  desk: Desk,
  update: Update,
  { host, signal }: { readonly host: ListenHost; readonly signal: AbortSignal },
): Promise<void> {
  for (let tries = 1; !signal.aborted; tries += 1) {
    try {
      return await desk.handle(update);
    } catch (error) {
      const { code } = Object(error) as { readonly code?: unknown };
      const delay = delayAfter(code, tries);
      if (delay === undefined) {
        host.log.error('Telegram: an update could not be handled, and was skipped.', { code });
        return desk.excuse(update, code);
      }
      await pause(delay * 1000, signal);
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
    await pause(wait * 1000, signal);
    return [];
  }
}

/** Resolves after a time in ms, or when the signal aborts. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
