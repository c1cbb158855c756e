import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runParley } from '../support/command.ts';
import { failToStart } from '../support/fail-to-start.ts';
import { startServer } from '../support/use-server.ts';

/** Creates a data directory with a conversation. */
async function makeHistory() {
  const server = await startServer();
  const tab = await server.open();
  const session = await tab.createSession();
  await tab.say(session, 'hello');
  const { dataDir } = server;
  return { server, session, dataDir, file: join(dataDir, 'parley.db'), mark: join(dataDir, 'parley.db.mark') };
}

test.each([
  ['missing', (file: string) => rmSync(file)],
  ['empty', (file: string) => truncateSync(file)],
])(
  '[DUR1, OPS5] a database that is %s, although there was one, stops the start and loses no trace of it',
  async (state, lose) => {
    const { server, session, dataDir, file, mark } = await makeHistory();
    await server.kill('SIGTERM');
    const [copy, marked] = [readFileSync(file), readFileSync(mark, 'utf8')];
    lose(file);
    const { code, stdout, stderr } = await failToStart({ dataDir });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(`${file} is ${state}`);
    expect(stderr).toContain(mark);
    expect(await runParley('token', 'create', '--role', 'viewer', '--data-dir', dataDir)).toMatchObject({ code: 1 });
    expect(readFileSync(mark, 'utf8')).toBe(marked);

    writeFileSync(file, copy);
    await server.restart();
    const tab = await server.open();
    await tab.follow(session);
    expect(tab.events(session).length).toBeGreaterThan(0);
  },
);

test('[DUR1] a database that is missing after kill -9 stops the start, and its newest commits are kept', async () => {
  const { server, dataDir, file, mark } = await makeHistory();
  await server.kill();
  rmSync(file);
  rmSync(mark);
  expect(await failToStart({ dataDir })).toMatchObject({ code: 1, stderr: expect.stringContaining(`${file}-wal`) });
  expect(statSync(`${file}-wal`).size).toBeGreaterThan(0);
});

test('[DUR1] a folder whose database and its mark were removed starts afresh', async () => {
  const { server, file, mark } = await makeHistory();
  await server.kill('SIGTERM');
  rmSync(file);
  rmSync(mark);
  await server.restart();
  expect(await (await server.open()).ask({ type: 'list_sessions' })).toEqual({ sessions: [] });
});

test
  .runIf(process.platform === 'linux')
  .each(['parley.db', 'parley.db-wal', 'parley.db.mark', 'parley.mutex', 'parley.key', 'audit.cursor'])(
  '[SEC10] a %s that is a pipe stops the start instead of keeping it waiting',
  async (name) => {
    const { server, dataDir } = await makeHistory();
    await server.kill('SIGTERM');
    const file = join(dataDir, name);
    rmSync(file, { force: true });
    spawnSync('mkfifo', [file]);
    const sink = `${dataDir}-sink`;
    onTestFinished(() => rmSync(sink, { force: true }));
    const args = ['--no-auth', '--audit-sink', sink];
    expect(await failToStart({ dataDir, args })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`${file} is not a file`),
    });
  },
);

test.runIf(process.platform === 'linux')('[SEC10] a database that is a pipe keeps no command waiting', async () => {
  const { server, session, dataDir, file } = await makeHistory();
  await server.kill('SIGTERM');
  rmSync(file);
  spawnSync('mkfifo', [file]);
  for (const words of [['export', session], ['audit'], ['token', 'list']]) {
    const { stderr } = await runParley(...words, '--data-dir', dataDir);
    expect([words, stderr]).toEqual([words, expect.stringContaining('is not a file')]);
  }
});
