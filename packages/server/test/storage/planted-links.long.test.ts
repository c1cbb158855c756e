import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runParley } from '../support/command.ts';
import { failToStart } from '../support/fail-to-start.ts';
import { Journey } from '../support/journey.ts';
import { ServerProcess } from '../support/server-process.ts';

let folder: string;
let precious: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-links-'));
  precious = join(folder, 'precious');
  writeFileSync(precious, 'precious');
  chmodSync(precious, 0o644);
});
afterEach(() => {
  expect(readFileSync(precious, 'utf8')).toBe('precious');
  expect(statSync(precious).mode & 0o777).toBe(0o644);
  rmSync(folder, { recursive: true });
});

test('[SEC8, DUR9] the lock replaces a link and does not write to its target', async () => {
  symlinkSync(precious, join(folder, 'parley.lock'));
  const server = await ServerProcess.start({ dataDir: folder });
  expect(readFileSync(join(folder, 'parley.lock'), 'utf8')).toBe(`${server.ready.pid}\n`);
  await server.kill();
});

test.each(['parley.db', 'parley.db-wal', 'parley.mutex', 'parley.db.mark', 'parley.key'])(
  '[SEC8] a %s that is a link stops the start',
  async (name) => {
    symlinkSync(precious, join(folder, name));
    expect(await failToStart({ dataDir: folder })).toMatchObject({ stdout: '', stderr: expect.stringContaining(name) });
    rmSync(join(folder, name), { force: true });
    const nowhere = join(folder, 'nowhere');
    symlinkSync(nowhere, join(folder, name));
    expect((await failToStart({ dataDir: folder })).code).not.toBe(0);
    expect(existsSync(nowhere)).toBe(false);
  },
);

test('[SEC8, RPL5] an export replaces a link and does not write to its target', async () => {
  const server = await ServerProcess.start();
  const { session } = await Journey.begin(server);
  const out = join(folder, 'talk.jsonl');
  symlinkSync(precious, out);
  const { code } = await runParley('export', session, '--data-dir', server.dataDir, '--out', out);
  expect(code).toBe(0);
  expect(statSync(out).mode & 0o777).toBe(0o600);
  expect(readFileSync(out, 'utf8')).not.toBe('precious');
  await server.remove();
});
