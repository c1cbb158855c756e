import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ParleyProcess, startParley } from '@parleyhq/client/process';
import { onTestFinished } from 'vitest';
import { ownToken } from './asking.ts';
import { type BotApi, botToken } from './bot-api.ts';

/** Starts the built command with the configuration of docs/chat.md, for the bot of this API. */
export async function start(api: BotApi): Promise<ParleyProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-telegram-'));
  const file = join(folder, 'parley.config.json');
  const config = JSON.parse(await readFile('docs/examples/telegram.config.json', 'utf8'));
  config.notifiers[0].config.apiRoot = { env: 'BOT_API' };
  await writeFile(file, JSON.stringify(config));
  const env = { PARLEY_NOTIFY_AFTER_MS: '20', TELEGRAM_TOKEN: botToken, BOT_API: api.url };
  const server = await startParley({ token: ownToken, args: ['--config', file], env });
  onTestFinished(async () => {
    await server.stop();
    await rm(folder, { recursive: true });
  });
  return server;
}
