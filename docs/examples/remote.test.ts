import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { pathOf, startInTest } from './test/talk.ts';

const run = promisify(execFile);

test('[SEC2] with tailnet.config.json, parley pair prints the address of the tailnet', async () => {
  const place = ['--config', pathOf('tailnet.config.json')];
  const { command, dataDir } = await startInTest({ args: place });
  const { stdout } = await run(process.execPath, [command, 'pair', '--json', ...place, '--data-dir', dataDir]);
  expect(JSON.parse(stdout)).toMatchObject({ url: expect.stringContaining('https://laptop.tail1a2b3.ts.net/#code=') });
});
