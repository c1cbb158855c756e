import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createToken, runParley } from '../../server/test/support/command.ts';
import { failToStart } from '../../server/test/support/fail-to-start.ts';
import { startServer } from '../../server/test/support/use-server.ts';

let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'parley-test-'));
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

async function expectRefusal(token: string, words: string): Promise<void> {
  const { code, stdout, stderr } = await failToStart({ dataDir, args: [], env: { PARLEY_TOKEN: token } });
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(words);
  expect(stderr).not.toContain(token);
}

test.each(['asker', 'viewer', 'responder'])(
  '[ASK2] a token whose role is %s does not become the server’s own',
  async (role) => {
    const { token } = await createToken(dataDir, '--role', role, '--name', `Ann ${role}`);
    await expectRefusal(token, `"Ann ${role}", whose role is ${role}`);
  },
);

test('[ASK2] an expired asker’s token does not become the server’s own', async () => {
  const { token, id } = await createToken(dataDir, '--role', 'asker', '--expires', '1s');
  const list = () => runParley('token', 'list', '--data-dir', dataDir);
  await expect.poll(list).toMatchObject({ stdout: expect.stringContaining('expired') });
  await expectRefusal(token, `"${id}"`);
});

test('[ASK2] an operator’s token may become the server’s own', async () => {
  const { token } = await createToken(dataDir, '--role', 'operator');
  const server = await startServer({ dataDir, args: ['--token', token] });
  await server.open({ hello: { token } });
});
