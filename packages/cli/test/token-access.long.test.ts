import { afterAll, beforeAll, expect, test } from 'vitest';
import { createToken, runParley } from '../../server/test/support/command.ts';
import { pluginPath } from '../../server/test/support/journey.ts';
import { ServerProcess } from '../../server/test/support/server-process.ts';
import { Tab } from '../../server/test/support/tab.ts';

const timeout = 60_000;
let server: ServerProcess;
beforeAll(async () => {
  server = await ServerProcess.start({ args: [], plugins: [pluginPath('approve.mjs')] });
});
afterAll(() => server.remove());

const token = (...words: string[]) => runParley('token', ...words, '--data-dir', server.dataDir);
const enter = (given: string) => Tab.open(server.socketUrl, { hello: { token: given } });

async function logIn(given: string): Promise<string> {
  const response = await fetch(`${server.httpUrl}/api/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Origin: server.httpUrl, 'User-Agent': 'Test/1 \u00a7' },
    body: JSON.stringify({ token: given }),
  });
  return (response.headers.get('set-cookie') ?? '').split(';')[0] as string;
}

/** Allows `wipe path` for always. */
async function allow(given: string, path: string): Promise<void> {
  const tab = await enter(given);
  const session = await tab.createSession();
  await tab.follow(session);
  await tab.say(session, `/call wipe {"path":"${path}"}`);
  const prompt = await tab.prompt(session);
  expect(await tab.answer(session, prompt, { action: 'approve', approvalScope: 'always' })).toMatchObject({ ok: true });
  await tab.event(session, 'turn_end');
}

test('[SEC9, OPS2] parley token revoke also revokes the grants of the token, unless they are kept', {
  timeout,
}, async () => {
  const [gone, kept] = [
    await createToken(server.dataDir, '--role', 'operator', '--name', 'Ann'),
    await createToken(server.dataDir, '--role', 'operator', '--name', 'Bob'),
  ];
  await allow(gone.token, 'x');
  await allow(kept.token, 'y');
  expect(await token('revoke', gone.id)).toMatchObject({ code: 0 });
  expect(await token('revoke', kept.id, '--keep-grants')).toMatchObject({ code: 0 });
  const owner = await enter(server.ready.token as string);
  const { grants } = await owner.ask<{ grants: object[] }>({ type: 'list_grants' });
  expect(grants).toMatchObject([{ key: '["wipe","y"]', by: { principal: kept.id } }]);
});

test('[SEC4, OPS2] parley token create refuses a name that is taken, because names distinguish answers', {
  timeout,
}, async () => {
  const { id } = await createToken(server.dataDir, '--role', 'viewer', '--name', 'Carla');
  for (const name of ['Carla', id]) {
    expect(await token('create', '--role', 'operator', '--name', name)).toEqual({
      code: 2,
      stdout: '',
      stderr: `parley: --name: there is a token "${name}" already. Take another name, or revoke that one first: parley token revoke\n`,
    });
  }
});

test('[SEC9, OPS2] parley token logins lists who is logged in, and parley token logout ends one', {
  timeout,
}, async () => {
  const made = await createToken(server.dataDir, '--role', 'viewer', '--name', 'Dora');
  await logIn(server.ready.token as string);
  const Cookie = await logIn(made.token);
  const tab = await Tab.open(server.socketUrl, { headers: { Cookie, Origin: server.httpUrl } });
  const lines = (await token('logins', '--json')).stdout.trim().split('\n');
  const listed = lines.map((line) => JSON.parse(line));
  expect(listed).toMatchObject([{ userAgent: expect.stringContaining('Test/1') }, { tokenId: made.id }]);
  expect((await token('logins')).stdout).toMatch(/^[0-9a-f]{12} {2}owner .*\n[0-9a-f]{12} {2}Dora {2}Test\/1 .* from /);
  expect(JSON.stringify(listed)).not.toContain(Cookie.split('=')[1]);
  expect(await token('logout', listed[1].id)).toMatchObject({ code: 0, stdout: `Logged out ${listed[1].id}.\n` });
  expect(await tab.closed()).toBe(4401);
  expect(await token('logout', listed[1].id)).toMatchObject({ code: 1, stderr: expect.stringContaining('no login') });
});

test.each([
  ['asker', [], 'a person’s token'],
  ['viewer', [], 'responder or operator'],
  ['responder', ['--agent', 'anthropic'], 'with another agent an operator’s'],
])(
  '[OPS2, SEC4] parley chat explains to a token of the role %s what it takes to begin a session',
  {
    timeout,
  },
  async (role, more, words) => {
    const made = await createToken(server.dataDir, '--role', role);
    const given = ['--port', String(server.ready.port), '--data-dir', server.dataDir, '--token', made.token];
    const { code, stderr } = await runParley('chat', ...given, ...more);
    expect([code, stderr]).toEqual([5, expect.stringContaining(words)]);
  },
);
