import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { Journey, pluginPath } from '../support/journey.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { startServer } from '../support/use-server.ts';

/** Notes its process id, and passes calls; one whose title is in the file `hold` waits until that file has another one. */
const script = `call=$(cat); echo $$ >>pids
while [ -s hold ] && printf '%s' "$call" | grep -qF "$(cat hold)"; do sleep 0.02; done
printf '%s' '{"verdict":"pass","reason":"It only repeats words."}'`;

async function begin(hold: string, policy: object = {}) {
  const server = await startServer({ plugins: [pluginPath('reviewed.mjs')] });
  const cwd = server.dataDir;
  const config = join(cwd, 'parley.config.json');
  const reviewers = [{ reviewer: 'command', name: 'guard', config: { command: ['sh', '-c', script], cwd } }];
  const policies = [{ tool: '*', effect: 'review', reviewer: 'guard', sample: 0, ...policy }];
  await writeFile(config, JSON.stringify({ reviewers, policies }));
  await writeFile(join(cwd, 'hold'), hold);
  await server.restart({ args: ['--no-auth', '--config', config] });
  return { server, journey: await Journey.begin(server) };
}

const pids = async ({ dataDir }: ServerProcess) =>
  (await readFile(join(dataDir, 'pids'), 'utf8').catch(() => '')).split('\n').filter(Boolean).map(Number);

/** Waits until this many reviews have begun. */
const reviews = (server: ServerProcess, count: number) =>
  vi.waitFor(async () => expect(await pids(server)).toHaveLength(count), { timeout: 20_000, interval: 10 });

const letGo = ({ dataDir }: ServerProcess) => writeFile(join(dataDir, 'hold'), '');

test('[LESS3, DUR1] a call whose review a kill cut off is reviewed again, and its command ended with the server', async () => {
  const { server, journey } = await begin('Say it (quiet)?');
  await journey.call('quiet', { n: 1 });
  await reviews(server, 1);
  const [pid] = await pids(server);
  await server.restart();
  await vi.waitFor(() => expect(() => process.kill(pid!, 0)).toThrow(), { timeout: 20_000 });
  await reviews(server, 2);
  await letGo(server);
  const after = await journey.join(server);
  await after.event('turn_end');
  expect(after.events('tool_call').map(({ payload }) => payload.authorised)).toMatchObject([
    { by: 'reviewer', name: 'guard', reason: 'It only repeats words.' },
  ]);
  expect(after.events('tool_result')).toHaveLength(1);
});

test('[LESS3, DUR4] a handler whose review a kill cut off does not run again unasked', async () => {
  const { server, journey } = await begin('Send it?');
  const { seq } = await journey.call('approving');
  await journey.event('tool_call', undefined, seq);
  await reviews(server, 2); // of the call, and of what its handler asks
  await server.restart();
  const after = await journey.join(server);
  const recovery = await after.tab.prompt(after.session);
  expect(recovery.source.kind).toBe('recovery');
  expect(await pids(server)).toHaveLength(2);
  await letGo(server);
  await after.answer(recovery, { action: 'approve' });
  expect((await after.outcome()).result).toMatchObject({ approved: true });
  expect((await after.event('tool_result')).payload.authorised).toMatchObject({ by: 'reviewer', name: 'guard' });
  expect(await pids(server)).toHaveLength(3);
});

test('[LESS3, DUR1] a sampled prompt survives a kill, and is neither reviewed nor drawn again', async () => {
  const { server, journey } = await begin('', { sample: 1 });
  const prompt = await journey.ask('quiet', { n: 1 });
  await server.restart();
  const after = await journey.join(server);
  const open = await after.tab.prompt(after.session);
  expect(open).toMatchObject({ interactionId: prompt.interactionId, reviewed: { name: 'guard', verdict: 'pass' } });
  await after.answer(open, { action: 'approve' });
  expect((await after.outcome(open)).result).toEqual({ n: 1 });
  expect(await pids(server)).toHaveLength(1);
});

test('[LESS3] a policy has only the tools reviewed that it names', async () => {
  const { journey } = await begin('', { tool: 'other' });
  await journey.call('quiet');
  await journey.event('turn_end');
  expect(journey.events('tool_call').map(({ payload }) => payload.authorised.by)).toEqual(['tool']);
});
