import { expect, test } from 'vitest';
import { ParleyProcess } from '../../packages/server/test/support/command.ts';
import { startInTest } from './test/talk.ts';

test('[SEC2] with tailnet.config.json, parley pair prints the address of the tailnet', async () => {
  const config = 'docs/examples/tailnet.config.json';
  const { dataDir } = await startInTest({ args: ['--config', config] });
  const words = ['pair', '--json', '--config', config, '--data-dir', dataDir];
  const { code, stdout, stderr } = await new ParleyProcess(words).end();
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(JSON.parse(stdout)).toMatchObject({ url: expect.stringContaining('https://laptop.tail1a2b3.ts.net/#code=') });
});
