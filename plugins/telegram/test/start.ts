import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ParleyProcess, startParley } from '@parleyhq/client/process';
import { onTestFinished } from 'vitest';
import { ownToken } from './asking.ts';
import { type BotApi, botToken } from './bot-api.ts';

/** Starts the built command with a bot, whose token comes from the environment. */
export async function start(api: BotApi): Promise<ParleyProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-telegram-'));
  const config = join(folder, 'parley.config.json');
  const notifier = { notifier: 'telegram', config: { token: { env: 'BOT_TOKEN' }, apiRoot: { env: 'BOT_API' } } };
  await writeFile(config, JSON.stringify({ notifyAfterMs: 20, notifiers: [notifier] }));
  const env = { BOT_TOKEN: botToken, BOT_API: api.url };
  const server = await startParley({ token: ownToken, args: ['--config', config], env });
  onTestFinished(async () => {
    await server.stop();
    await rm(folder, { recursive: true });
  });
  return server;
}
