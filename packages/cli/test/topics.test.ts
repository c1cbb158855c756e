import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { Door } from '../../server/test/nodes/support/door.ts';
import { ParleyProcess } from '../../server/test/support/command.ts';
import { makeFolder } from '../../server/test/support/plugin-file.ts';
import { startServer } from '../../server/test/support/use-server.ts';

const sections = new Set(
  [...readFileSync(new URL('../../../docs/troubleshooting.md', import.meta.url), 'utf8').matchAll(/^### (.+)$/gm)].map(
    ([, name]) => name,
  ),
);

/** The section of docs/troubleshooting.md that the last line of an error names. */
async function topicOf(words: readonly string[], env: Record<string, string> = {}): Promise<string | undefined> {
  const { code, stderr } = await new ParleyProcess(words, { env: { PARLEY_TOKEN: '', ...env } }).end();
  expect(code).not.toBe(0);
  const [, topic] = /\n {8}docs\/troubleshooting\.md#([a-z-]+)\n$/.exec(stderr) ?? [];
  if (topic !== undefined) expect(sections).toContain(topic);
  return topic;
}

test('[OPS2] an error says which section of docs/troubleshooting.md explains it', async () => {
  const server = await startServer({ args: [] });
  const other = await startServer({ args: [] });
  const stranger = createServer((_, response) => response.end('Hello')).listen(0, '127.0.0.1');
  onTestFinished(() => void stranger.close());
  await once(stranger, 'listening');
  const strange = String((stranger.address() as { port: number }).port);
  const at = ['--data-dir', server.dataDir];
  const token = server.ready.token ?? '';
  expect(await topicOf(['grants', 'list', '--port', '1', ...at])).toBe('no-server');
  expect(await topicOf(['inbox', '--port', '1'])).toBe('no-server');
  expect(await topicOf(['ask', 'Why?', '--port', strange])).toBe('not-parley');
  expect(await topicOf(['stats', '--port', String(other.ready.port), '--token', token, ...at])).toBe('another-server');
  for (const command of [['grants', 'list'], ['inbox'], ['ask', 'Why?']])
    expect(await topicOf([...command, '--token', 'not-the-token-of-it', ...at])).toBe('token-unknown');
  expect(await topicOf(['inbox', '--lines', '3'])).toBeUndefined(); // wrong usage explains itself
});

test('[SEC3] an address that the server refuses is explained, without advice about the token', async () => {
  const server = await startServer({ args: [] });
  const door = await Door.open(server.ready.port);
  onTestFinished(() => door.close());
  const at = ['--port', String(door.port), '--token', server.ready.token ?? ''];
  const { stderr } = await new ParleyProcess(['inbox', ...at]).end();
  expect(stderr).toMatch(/in allowedOrigins .* let in\.\n {8}docs\/troubleshooting\.md#address-refused\n$/);
});

test('[OPS2, OPS5] a start that fails says which section explains it', async () => {
  const server = await startServer({ args: [] });
  await server.kill('SIGTERM');
  const db = new Sqlite(join(server.dataDir, 'parley.db'));
  db.pragma('user_version = 9999');
  db.close();
  const serve = (...words: readonly string[]) => topicOf(['serve', '--port', '0', ...words]);
  expect(await serve('--data-dir', server.dataDir)).toBe('database-newer');
  expect(await serve('--data-dir', makeFolder(), '--plugin', './missing.mjs')).toBe('plugin-missing');
  expect(await serve('--data-dir', makeFolder(), '--store', 'postgres://nobody@127.0.0.1:1/parley')).toBe('database');
});
