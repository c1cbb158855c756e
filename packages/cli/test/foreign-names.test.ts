import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { Authenticator, addPasskey, makePage } from '../../server/test/support/authenticator.ts';
import { runParley } from '../../server/test/support/command.ts';
import { startServer } from '../../server/test/support/use-server.ts';
import { Terminal } from './support/terminal.ts';

/** Clears the screen on a terminal, and turns text around. */
const evil = 'Ann\u009b2J\u202eevil';

test('[SEC5] no name of a token, a passkey or a browser controls the terminal that lists it, as JSON or as text', async () => {
  const server = await startServer({ args: [] });
  const at = ['--data-dir', server.dataDir];
  const created = await runParley('token', 'create', '--role', 'responder', '--name', 'Ann', '--json', ...at);
  const { id, token } = JSON.parse(created.stdout);
  const origin = `http://localhost:${server.ready.port}`;
  await addPasskey(token, new Authenticator(origin));
  const page = makePage(origin, token);
  const [passkey] = (await (await page('/api/passkeys')).json()).passkeys;
  expect((await page(`/api/passkeys/${passkey.id}`, { name: evil }, 'PATCH')).status).toBe(204);
  await fetch(`${origin}/api/login`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json', 'user-agent': 'Browser\u009b2J' },
    body: JSON.stringify({ token }),
  });
  const database = new Sqlite(join(server.dataDir, 'parley.db'));
  database.prepare("update tokens set details = json_set(details, '$.name', ?) where id = ?").run(evil, id); // as a provider may name people
  database.close();
  for (const command of [['passkeys'], ['token', 'list'], ['token', 'logins']])
    for (const flags of [[], ['--json']]) {
      const words = [...command, ...flags];
      const terminal = Terminal.open([...words, ...at], { columns: 400 });
      expect(await terminal.end(), words.join(' ')).toBe(0);
      expect(terminal.raw, words.join(' ')).toContain('2J');
      expect(terminal.raw, words.join(' ')).not.toMatch(/[\u009b\u202e]/);
    }
  expect(JSON.parse((await runParley('passkeys', '--json', ...at)).stdout).name).toBe(evil);
});
