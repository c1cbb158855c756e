import { expect, test } from 'vitest';
import { runParley } from '../../server/test/support/command.ts';
import { Journey, pluginPath } from '../../server/test/support/journey.ts';
import { startServer, useServer } from '../../server/test/support/use-server.ts';
import { lineOf } from '../src/io/topic.ts';
import { addressHint, tokenHint } from '../src/running-server/running-server.ts';

const server = useServer({ plugins: [pluginPath('approve.mjs')] });

const parley = (...args: string[]) => runParley('grants', ...args, '--port', String(server.ready.port));

test('[APR4, OPS2] parley grants lists what was allowed, by whom and how often it was used, and revokes it', {
  timeout: 30_000,
}, async () => {
  expect(await parley('list')).toMatchObject({ code: 0, stdout: 'Nothing is granted.\n' });
  const journey = await Journey.begin(server);
  const prompt = await journey.ask('wipe', { path: 'x' });
  await journey.answer(prompt, { action: 'approve', approvalScope: 'always' });
  await journey.event('turn_end');
  await journey.run('wipe', { path: 'x' });

  const { stdout } = await parley('list', '--json');
  const grant = JSON.parse(stdout);
  expect(grant).toMatchObject({ scope: 'always', toolName: 'wipe', uses: 1, interactionId: prompt.interactionId });
  expect((await parley('list')).stdout).toMatch(/wipe \["wipe","x"\] {2}always {2}by .+ at .+, used 1 times/);
  expect(await parley('revoke', grant.id)).toMatchObject({ code: 0, stdout: `Revoked ${grant.id}.\n` });
  expect(await parley('revoke', grant.id)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/There is no such thing.+"parley grants list" prints the ids/),
  });
  const again = await journey.tab.say(journey.session, '/call wipe {"path":"x"}');
  await journey.answer(await journey.tab.prompt(journey.session, again.seq), { action: 'deny' });
});

test('[OPS2] parley grants reports that nobody answers, or that the token is wrong', async () => {
  const guarded = await startServer({ args: [] });
  const at = ['--port', String(guarded.ready.port)];
  const own = ['--token', guarded.ready.token ?? ''];
  expect(await runParley('grants', 'list', ...at, ...own)).toMatchObject({ code: 0, stdout: 'Nothing is granted.\n' });
  const wrong = await runParley('grants', 'list', ...at, '--token', 'not-the-token-of-it');
  expect(wrong).toEqual({
    code: 1,
    stdout: '',
    stderr: `parley: A valid token is needed. ${tokenHint}\n${lineOf('token-unknown')}`,
  });
  expect(wrong.stderr).toContain('"parley token create" makes others');
  await guarded.kill();
  const nobody = await runParley('grants', 'list', ...at, ...own);
  const { port } = guarded.ready;
  expect(nobody).toEqual({
    code: 1,
    stdout: '',
    stderr: `parley: No server answers at 127.0.0.1:${port}. ${addressHint}\n${lineOf('no-server')}`,
  });
});
