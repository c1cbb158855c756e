import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { Journey, pluginPath } from '../../server/test/support/journey.ts';
import { useServer } from '../../server/test/support/use-server.ts';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const server = useServer({ plugins: [pluginPath('approve.mjs')] });

function parley(...args: string[]): Promise<{ code: unknown; stdout: string; stderr: string }> {
  const command = [
    '--conditions=source',
    '--import',
    'tsx',
    main,
    'grants',
    ...args,
    '--port',
    String(server.ready.port),
  ];
  return new Promise((resolve) => {
    execFile(process.execPath, command, (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }));
  });
}

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
    stderr: expect.stringContaining('There is no such thing'),
  });
  const again = await journey.tab.say(journey.session, '/call wipe {"path":"x"}');
  await journey.answer(await journey.tab.prompt(journey.session, again.seq), { action: 'deny' });
});
