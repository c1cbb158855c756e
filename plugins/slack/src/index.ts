import { setTimeout as pause } from 'node:timers/promises';
import { definePlugin, type ListenHost, type Notifier } from '@parleyhq/core';
import { configSchema, type SlackConfig } from './config.ts';
import { Desk } from './desk.ts';
import { type Place, slackOf } from './slack.ts';
import { SlackError } from './slack-error.ts';
import { holdConnection } from './socket.ts';

/**
 * Asks people in Slack, in a direct message each, and takes their answers over Socket Mode, which needs no public address (CHAT4).
 * Channels are sent nothing, because their members may change.
 */
const slack: Notifier = {
  name: 'slack',
  configSchema,
  howToLink: 'Send the bot a direct message: link {code}',
  async notify({ type }, { config, account, card, signal }) {
    const workspace = slackOf(config as SlackConfig);
    if (!account) return false;
    const user = userOf(account.id);
    if (type === 'settled') return card !== undefined && workspace.closeCard(user, card, signal);
    if (card) return workspace.sendCard(user, card, signal);
    return workspace.sendTo(user, 'This is a test: Parley reaches you here.');
  },
  async update({ comment }, { config, card, message, log, signal }) {
    const workspace = slackOf(config as SlackConfig);
    const place = message as Place;
    if (!card) return;
    await workspace.change(place, card, signal);
    if (!comment || !card.comments) return;
    try {
      await workspace.sendText(place.channel, `${card.comments.by} commented. Open the card to read it.`, place.ts);
    } catch (error) {
      log.debug('somebody could not be pinged about a comment, which the card shows', { error: String(error) });
    }
  },
  listen,
};

/** Takes what people press and write, over one connection after the other. @throws Error if there is none */
async function listen(host: ListenHost, signal: AbortSignal): Promise<void> {
  const config = host.config as SlackConfig;
  const workspace = slackOf(config);
  try {
    const desk = new Desk(host, workspace, await workspace.readTeam());
    while (!signal.aborted) await holdConnection(config, desk.handle, signal);
  } catch (error) {
    const { retryAfterMs = 0 } = error instanceof SlackError ? error : {};
    await pause(retryAfterMs, undefined, { signal, ref: false }).catch(() => undefined); // the signal aborted
    throw error;
  }
}

/** Returns the user of an account, whose id also names the workspace. */
function userOf(id: string): string {
  return id.slice(id.lastIndexOf(':') + 1);
}

export default definePlugin({ name: 'slack', tools: [], notifiers: [slack] });
