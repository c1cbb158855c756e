import { expect, test } from 'vitest';
import { runParley } from '../../server/test/support/command.ts';
import { Journey, pluginPath } from '../../server/test/support/journey.ts';
import { useServer } from '../../server/test/support/use-server.ts';

const server = useServer({ plugins: [pluginPath('approve.mjs')] });

const parley = (...args: string[]) => runParley('stats', ...args, '--port', String(server.ready.port));

test('[LESS1, OPS2] parley stats prints how much was asked and how it was answered, as a table or as JSON', {
  timeout: 30_000,
}, async () => {
  expect(await parley()).toMatchObject({
    code: 0,
    stdout: 'Nothing was asked, and nothing passed without being asked.\n',
  });
  const journey = await Journey.begin(server);
  const prompt = await journey.ask('wipe', { path: 'x' });
  await journey.answer(prompt, { action: 'approve', approvalScope: 'always' });
  await journey.event('turn_end');
  await journey.run('wipe', { path: 'x' });
  const { stdout } = await parley();
  expect(stdout).toMatch(/^By tool +Asked +Allowed .*Denied .*By permission/);
  expect(stdout).toMatch(/\nwipe +1 +1 /);
  expect(stdout).not.toContain('"x"');
  const json = await parley('--json', '--by', 'session', '--session', journey.session, '--since', '1d');
  expect(JSON.parse(json.stdout)).toMatchObject({
    ...{ by: 'session', left: 0, total: { asked: 1, approved: 1, byGrant: 1 } },
    groups: [{ key: journey.session, asked: 1 }],
  });
  expect((await parley('--until', '2020-01-31')).stdout).toContain('Nothing was asked');
  expect(await parley('--since', 'soon')).toMatchObject({ code: 2, stderr: expect.stringContaining('--since soon') });
  expect(await parley('--session', 'none')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('in its address'),
  });
});
