import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createToken, runParley } from '../../server/test/support/command.ts';
import { makeFolder, pluginOf } from '../../server/test/support/plugin-file.ts';
import { ServerProcess } from '../../server/test/support/server-process.ts';
import { Tab } from '../../server/test/support/tab.ts';

const timeout = 60_000;
const guard = `export default { name: 'guard', tools: [{
  name: 'guarded', description: 'Asks at high risk.', parameters: { type: 'object' },
  handler: async (_, ctx) => (await ctx.approve({ key: 'key', risk: 'high' })).approved,
}] };`;

let server: ServerProcess;
beforeAll(async () => {
  const config = join(makeFolder(), 'parley.config.json');
  await writeFile(config, JSON.stringify({ quotas: { sessionsPerHour: 3 } }));
  server = await ServerProcess.start({ args: ['--config', config], plugins: [pluginOf(guard)] });
});
afterAll(() => server.remove());

const create = (...flags: string[]) => createToken(server.dataDir, '--role', 'responder', ...flags);
const enter = (token: string) => Tab.open(server.socketUrl, { hello: { token } });
const parley = (...words: string[]) => runParley(...words, '--data-dir', server.dataDir);

test('[TEAM2, OPS2] a token made with --owner is the same person: nobody can approve their own request with it', {
  timeout,
}, async () => {
  const laptop = await create('--name', 'Ann');
  const phone = await create('--name', 'Phone', '--owner', 'Ann');
  const tablet = await create('--name', 'Tablet', '--owner', phone.id);
  const bob = await create('--name', 'Bob', '--owner', 'bob');
  expect([laptop, phone, tablet, bob].map(({ owner }) => owner)).toEqual([undefined, laptop.id, laptop.id, 'bob']);
  const [ann, annsPhone, annsTablet, other] = await Promise.all(
    [laptop, phone, tablet, bob].map(({ token }) => enter(token)),
  );
  expect((await annsPhone?.waitFor('welcome'))?.principal).toMatchObject({ id: phone.id, owner: laptop.id });
  const session = await (ann as Tab).createSession();
  await (annsPhone as Tab).follow(session);
  await annsPhone?.say(session, '/call guarded {}');
  const prompt = await (annsPhone as Tab).prompt(session);
  const { payload } = await (annsPhone as Tab).event(session, 'user_message');
  expect([prompt.requesters, payload.from]).toEqual([
    [laptop.id],
    expect.objectContaining({ principal: phone.id, name: 'Phone', owner: laptop.id }),
  ]);
  for (const tab of [ann, annsPhone, annsTablet]) {
    const reply = await tab?.answer(session, prompt, { action: 'approve' });
    expect(reply).toMatchObject({ ok: false, error: { code: 'forbidden' } });
  }
  expect(await other?.answer(session, prompt, { action: 'approve' })).toMatchObject({ ok: true });
});

test('[SEC11, OPS2] the quotas of the config file apply to all tokens of an owner together', { timeout }, async () => {
  const tokens = [await create('--owner', 'dora'), await create('--owner', 'dora')];
  const tabs = await Promise.all(tokens.map(({ token }) => enter(token)));
  const replies = await Promise.all([0, 1, 0, 1].map((n) => (tabs[n] as Tab).request({ type: 'create_session' })));
  expect(replies.filter(({ ok }) => ok)).toHaveLength(3);
  expect(replies.find(({ ok }) => !ok)).toMatchObject({
    error: { code: 'rate_limited', details: { limit: 'sessionsPerHour' } },
  });
  const owner = await enter(server.ready.token as string);
  for (let n = 0; n < 5; n += 1) await owner.createSession();
});

test('[TEAM2, SEC7, OPS2] parley token list and parley audit name the owner, as people know them', {
  timeout,
}, async () => {
  const eve = await create('--name', 'Eve');
  const phone = await create('--owner', 'Eve');
  const own = await create('--name', 'Mine', '--owner', 'owner');
  const { stdout } = await parley('token', 'list');
  expect(stdout).toMatch(new RegExp(`^${phone.id} {2}responder {2}no name of Eve {2}all sessions`, 'm'));
  expect(stdout).toMatch(new RegExp(`^${own.id} {2}responder {2}Mine of owner {2}`, 'm'));
  const listed = (await parley('token', 'list', '--json')).stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(listed.find(({ id }) => id === phone.id)).toMatchObject({ owner: eve.id });
  const rows = (await parley('audit', '--json')).stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(rows.find(({ tokenId }) => tokenId === phone.id)).toMatchObject({ event: 'token_created', owner: eve.id });
  expect((await parley('audit')).stdout).toContain(`token ${phone.id} was created: no name, responder, of ${eve.id}`);
});

test('[OPS2] parley token create refuses an owner that is not readable text', { timeout }, async () => {
  for (const owner of ['', 'x\u001b[2J\nadmin']) {
    expect(await parley('token', 'create', '--role', 'viewer', '--owner', owner)).toEqual({
      code: 2,
      stdout: '',
      stderr: 'parley: --owner: must be readable text on one line.\n',
    });
  }
});

test('[TEAM2, OPS2] a token with the name of other tokens’ owner belongs to that person, in any order of creation', {
  timeout,
}, async () => {
  const phone = await create('--owner', 'Zoe');
  const laptop = await create('--name', 'Zoe');
  expect([phone.owner, laptop.owner]).toEqual(['Zoe', 'Zoe']);
  const tablet = await create('--name', 'Zoe tablet', '--owner', 'Zoe');
  expect(tablet.owner).toBe('Zoe');
});
