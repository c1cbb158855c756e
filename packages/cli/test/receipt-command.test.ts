import { execFile } from 'node:child_process';
import { generateKeyPairSync, hash } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { canonicalise } from '@parleyhq/core';
import { type Receipt, signReceipt } from '@parleyhq/server';
import { expect, onTestFinished, test } from 'vitest';
import { runParley } from '../../server/test/support/command.ts';
import { Journey, pluginPath } from '../../server/test/support/journey.ts';
import { mainPath } from '../../server/test/support/server-process.ts';
import { startServer } from '../../server/test/support/use-server.ts';

const run = promisify(execFile);

test('[SIGN3] a receipt is the same after kill -9, and verifies in an empty folder with nothing but the file and the key', {
  timeout: 60_000,
}, async () => {
  const server = await startServer({ plugins: [pluginPath('approve.mjs')] });
  const journey = await Journey.begin(server);
  const { interactionId } = await journey.ask('follow', { path: 'x' });
  const receipt = (...words: string[]) => runParley('receipt', ...words, '--data-dir', server.dataDir);
  expect(await receipt(interactionId)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Nobody has answered'),
  });
  await journey.answer(await journey.tab.prompt(journey.session), { action: 'approve', reason: 'Go on' });
  await journey.event('turn_end');
  const first = await receipt(interactionId);
  expect(first).toMatchObject({ code: 0, stderr: '' });
  await server.kill();
  await server.restart();
  expect(await receipt(interactionId, '--session', journey.session)).toEqual(first);

  const folder = await mkdtemp(join(tmpdir(), 'parley-test-'));
  const file = (name: string) => join(folder, name);
  const verify = async (...words: string[]) =>
    run(process.execPath, [mainPath, 'receipt', 'verify', ...words], { cwd: folder, env: {} }).then(
      ({ stdout }) => ({ code: 0, stdout }),
      ({ code, stderr }) => ({ code, stderr }),
    );
  try {
    expect(await receipt(interactionId, '--out', file('receipt.json'))).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await readFile(file('receipt.json'), 'utf8')).toBe(first.stdout);
    expect((await stat(file('receipt.json'))).mode & 0o777).toBe(0o600);
    const key = await runParley('receipt', 'key', '--data-dir', server.dataDir);
    await writeFile(file('parley.pem'), key.stdout);
    expect(await verify('receipt.json')).toMatchObject({ code: 0, stdout: expect.stringContaining('compare it with') });
    const { stdout } = (await verify('receipt.json', '--key', 'parley.pem')) as { stdout: string };
    expect(stdout).toContain(`follow ${interactionId}, session ${journey.session}`);
    expect(stdout).toMatch(/ {4}touch x\n/);
    expect(stdout).toMatch(/settled .+: Allowed once by .+, operator over ws, "Go on"/);
    expect(stdout).toMatch(/Valid: nothing was altered since SHA256:\S+ signed it\.\n$/);
    const { stdout: audit } = await runParley('audit', '--json', '--data-dir', server.dataDir);
    expect(audit).toContain(/audit {4}row \d+, (\w+)/.exec(stdout)?.[1]);

    const altered = JSON.parse(first.stdout);
    altered.payload = Buffer.from(altered.payload, 'base64').toString().replace('Go on', 'Stop!');
    altered.payload = Buffer.from(altered.payload).toString('base64');
    await writeFile(file('altered.json'), JSON.stringify(altered));
    expect(await verify('altered.json')).toMatchObject({ code: 1, stderr: expect.stringContaining('It was altered') });
    expect(await verify('parley.pem')).toMatchObject({ code: 1, stderr: expect.stringContaining('not a receipt') });
    expect(await verify('nothing.json')).toMatchObject({ code: 2, stderr: expect.stringContaining('cannot be read') });
    expect(await verify('receipt.json', '--key', 'receipt.json')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no Ed25519 key'),
    });
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('[SIGN3, SEC7] a settlement that parley audit prints leads to its receipt, which names that row', async () => {
  const server = await startServer({ plugins: [pluginPath('approve.mjs')] });
  const at = ['--data-dir', server.dataDir];
  const journey = await Journey.begin(server);
  for (const action of ['approve', 'deny'] as const) {
    await journey.answer(await journey.ask('follow', { path: action }), { action });
    await journey.event('turn_end');
  }
  const printed = (await runParley('audit', ...at)).stdout;
  const hashes = (await runParley('audit', '--session', journey.session, '--json', ...at)).stdout.trim().split('\n');
  const rows = [...printed.matchAll(/^\S+ {2}(\S+) (\d+) {2}follow (\S+) {2}(approve|deny) /gm)];
  expect(rows.map(([, session, , , action]) => [session, action])).toEqual([
    [journey.session, 'approve'],
    [journey.session, 'deny'],
  ]);
  const file = join(await mkdtemp(join(tmpdir(), 'parley-test-')), 'receipt.json');
  onTestFinished(() => rm(join(file, '..'), { recursive: true }));
  for (const [, session = '', n, prompt = ''] of rows) {
    await runParley('receipt', prompt, '--session', session, '--out', file, ...at);
    const { stdout } = await runParley('receipt', 'verify', file);
    const { hash: row } = JSON.parse(hashes[Number(n) - 1] ?? '');
    expect(stdout).toContain(`follow ${prompt}, session ${session}`);
    expect(stdout).toContain(`audit    row ${n}, ${row}`);
  }
});

test('[SIGN3, OPS2] parley receipt reports an unknown prompt, and a folder without a database', async () => {
  const server = await startServer();
  const unknown = await runParley('receipt', 'nothing.1', '--data-dir', server.dataDir);
  expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no prompt "nothing.1"') });
  for (const words of [['key'], ['nothing.1']])
    expect(await runParley('receipt', ...words, '--data-dir', join(server.dataDir, 'nowhere'))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is no Parley database'),
    });
});

test('[SIGN3, OPS4] with PostgreSQL the key needs no database, and the refusal of a receipt says what serves it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-test-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const parley = (word: string) =>
    run(process.execPath, [mainPath, 'receipt', word, '--data-dir', folder], {
      env: { PARLEY_STORE: 'postgres://parley@127.0.0.1:1/parley' },
    });
  expect((await parley('key')).stdout).toContain('BEGIN PUBLIC KEY');
  await expect(parley('nothing.1')).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('GET /api/sessions/<id>/interactions/<interactionId>/receipt'),
  });
});

test('[SIGN3, APR7, TEAM3] verify prints all that was allowed, with the labels that were shown, and each vote', async () => {
  const shown = canonicalise({
    ...{ tool: 'run', type: 'approval', decide: { approve: 1, deny: 2 } },
    rules: [{ id: 'folder', label: 'everything in docs' }],
    actions: [{ id: 'later', label: 'Not now' }],
  });
  const about = { toolCallId: 'c', interactionId: 'c.1', answerId: 'a', action: 'approve' };
  const by = { clientId: 'b', connectionId: 'k', principal: 'ann', transport: 'ws' };
  const at = '2026-03-01T12:00:05.000Z';
  const annotations = [{ lines: [1, 1], quote: 'rm', comment: 'Careful' }];
  const choices = { ruleId: 'folder', button: 'later', late: true, annotations };
  const files = [{ fileId: 'f', name: 'plan.txt', mediaType: 'text/plain', size: 1, sha256: 'b'.repeat(64) }];
  const receipt = {
    ...{ sessionId: 's', toolCallId: 'c', interactionId: 'c.1', toolName: 'run', askedAt: at, shown },
    digest: hash('sha256', shown),
    votes: [
      {
        ...{ seq: 4, at },
        payload: {
          ...{ ...about, action: 'deny', reason: 'Too wide' },
          ...{ by: { ...by, principal: 'bob', name: 'Bob' }, votes: { approve: 0, deny: 1 } },
        },
      },
    ],
    settlement: {
      ...{ event: 'interaction_response', seq: 5, at },
      payload: { ...about, ...choices, files, by, votes: { approve: 1, deny: 1 } },
    },
  } as const;
  const folder = await mkdtemp(join(tmpdir(), 'parley-test-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'receipt.json');
  await writeFile(file, signReceipt(receipt as unknown as Receipt, generateKeyPairSync('ed25519').privateKey));
  const { stdout, stderr } = await runParley('receipt', 'verify', file);
  expect(stderr).toBe('');
  for (const words of [
    'rule folder "everything in docs"',
    'button later "Not now"',
    'after the deadline',
    '"plan.txt"',
    '"Careful"',
  ])
    expect(stdout).toContain(words);
  expect(stdout).toMatch(/vote .+: Denied by Bob \(bob\) over ws, "Too wide"/);
});
