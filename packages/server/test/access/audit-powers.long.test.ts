import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createToken, runParley } from '../support/command.ts';
import { Journey, pluginPath } from '../support/journey.ts';
import { ServerProcess } from '../support/server-process.ts';

let server: ServerProcess;
let owner: Journey;
beforeAll(async () => {
  server = await ServerProcess.start({
    args: [],
    plugins: [pluginPath('approve.mjs'), pluginPath('other-approvals.mjs')],
  });
  owner = await begin();
});
afterAll(() => server.remove());

const begin = () => Journey.begin(server, { hello: { token: server.ready.token }, label: 'Desk' });

async function rowsOf(...flags: string[]): Promise<Record<string, unknown>[]> {
  const { code, stdout, stderr } = await runParley('audit', '--data-dir', server.dataDir, '--json', ...flags);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const lines = stdout.trimEnd().split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line));
}

const byOwner = { principal: 'owner', role: 'operator', label: 'Desk', transport: 'ws', address: '127.0.0.1' };

test('[SEC7] each way in which a call can run has a row, and so has a change of the mode', async () => {
  const journey = await begin();
  await journey.run('free', { path: 'x' });
  await journey.event('turn_end');
  const change = { sessionId: journey.session, permissionMode: 'bypassPermissions' };
  await journey.tab.ask({ type: 'update_session', ...change } as never);
  const { seq } = await journey.event('session_changed');
  await journey.run('guarded', { path: 'secret-path' });
  await journey.event('turn_end', undefined, seq);
  const rows = await rowsOf('--session', journey.session);
  expect(rows).toMatchObject([
    { n: 1, event: 'tool_call', toolName: 'free', outcome: 'tool' },
    { n: 2, event: 'session_changed', permissionMode: 'bypassPermissions', seq, by: byOwner },
    { n: 3, event: 'tool_call', toolName: 'guarded', outcome: 'mode' },
  ]);
  expect(JSON.stringify(rows)).not.toContain('secret-path');
  const { stdout } = await runParley('audit', '--data-dir', server.dataDir, '--session', journey.session);
  expect(stdout).toContain('the session has mode bypassPermissions by owner, operator');
  expect(stdout).toMatch(/guarded \S+ {2}decided by a mode\n/);
});

test('[SEC7] a session that begins in another mode has a row with who began it', async () => {
  const mode = { permissionMode: 'bypassPermissions' };
  const { session } = await owner.tab.ask<{ session: { id: string } }>({ type: 'create_session', ...mode } as never);
  const rows = await rowsOf('--session', session.id);
  expect(rows).toMatchObject([{ n: 1, event: 'session_changed', permissionMode: 'bypassPermissions', by: byOwner }]);
});

test('[SEC7] giving, using and revoking a grant are recorded, without what it covers', async () => {
  const journey = await begin();
  const prompt = await journey.ask('wipe', { path: 'secret-path' });
  await journey.answer(prompt, { action: 'approve', approvalScope: 'session', digest: prompt.digest });
  await journey.event('turn_end');
  const { seq } = await journey.call('wipe', { path: 'secret-path' });
  await journey.event('turn_end', undefined, seq);
  const [grant] = (await rowsOf()).filter(({ event }) => event === 'grant_given');
  expect(grant).toMatchObject({
    scope: 'session',
    session: journey.session,
    toolName: 'wipe',
    by: { principal: 'owner' },
  });
  const { grantId } = grant as { grantId: string };
  await owner.tab.request({ type: 'revoke_grant', grantId } as never);
  const rows = (await rowsOf()).filter((row) => row.grantId === grantId && String(row.event).startsWith('grant_'));
  expect(rows.map(({ event }) => event)).toEqual(['grant_given', 'grant_used', 'grant_revoked']);
  expect(rows.at(-1)).toMatchObject({ cause: 'person', by: { principal: 'owner', role: 'operator' } });
  expect(JSON.stringify(await rowsOf())).not.toContain('secret-path');
});

test('[SEC7] tokens, logins and logouts are recorded, without any token or cookie', async () => {
  const { id, token } = await createToken(server.dataDir, '--role', 'responder', '--name', 'Ann');
  const login = await fetch(`${server.httpUrl}/api/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Origin: server.httpUrl },
    body: JSON.stringify({ token }),
  });
  const cookie = (login.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  await fetch(`${server.httpUrl}/api/logout`, { method: 'POST', headers: { Cookie: cookie, Origin: server.httpUrl } });
  await runParley('token', 'revoke', id, '--data-dir', server.dataDir);
  const rows = (await rowsOf()).filter(({ event }) => /^(token|logged)_/.test(String(event)));
  expect(rows).toMatchObject([
    { event: 'token_created', tokenId: id, role: 'responder', name: 'Ann' },
    { event: 'logged_in', principal: id },
    { event: 'logged_out', login: rows[1]?.login },
    { event: 'token_revoked', tokenId: id },
  ]);
  for (const secret of [token, cookie.split('=')[1] as string]) expect(JSON.stringify(rows)).not.toContain(secret);
});

test('[SEC7] a grant that ends with its token or session, or through its plugin or a newer grant, has a row with the cause', async () => {
  const { id, token } = await createToken(server.dataDir, '--role', 'responder', '--name', 'Cleo');
  const given = async (by: Journey) => {
    const { seq } = await by.call('wipe', { path: 'x' });
    await by.answer(await by.tab.prompt(by.session, seq), { action: 'approve', approvalScope: 'session' });
    await by.event('turn_end', undefined, seq);
    const [grant] = await by.tab
      .ask<{ grants: [{ id: string }] }>({ type: 'list_grants', sessionId: by.session })
      .then((reply) => reply.grants);
    return grant.id;
  };
  const cleos = await given(await Journey.begin(server, { hello: { token } }));
  await runParley('token', 'revoke', id, '--data-dir', server.dataDir);
  const journey = await begin();
  const ofSession = await given(journey);
  await journey.tab.ask({ type: 'delete_session', sessionId: journey.session });
  const last = await begin();
  await last.call('other_grants', {
    acts: [{ set: ['key', 'session'] }, { set: ['key', 'session'] }, { clear: last.session }],
  });
  await last.event('turn_end');
  const rows = (await rowsOf()).filter(({ event, cause }) => event === 'grant_revoked' && cause !== 'person');
  expect(rows).toMatchObject([
    { cause: 'token_revoked', grantId: cleos },
    { cause: 'session_deleted', grantId: ofSession },
    { cause: 'replaced' },
    { cause: 'plugin' },
  ]);
  const { stdout } = await runParley('audit', '--data-dir', server.dataDir);
  expect(stdout).toContain(`grant ${cleos} was revoked with its giver's token\n`);
  expect(stdout).toContain(`grant ${ofSession} ended with its session\n`);
  expect(stdout).toContain(`grant ${rows[2]?.grantId} was replaced by a newer one\n`);
  expect(stdout).toContain(`grant ${rows[3]?.grantId} was revoked by its plugin\n`);
});

test('[SEC7] a row of the whole server that was altered or removed is named', async () => {
  await createToken(server.dataDir, '--role', 'viewer', '--name', 'Bob');
  await createToken(server.dataDir, '--role', 'viewer', '--name', 'Eve');
  const isServer = "session_id = ''";
  for (const [sql, row] of [
    [`update audit set text = replace(text, 'viewer', 'operator') where ${isServer} and text like '%Bob%'`, undefined],
    [`delete from audit where ${isServer} and n = 1`, 1],
  ] as const) {
    const copy = await mkdtemp(join(tmpdir(), 'parley-test-'));
    await cp(server.dataDir, copy, { recursive: true });
    const db = new Sqlite(join(copy, 'parley.db'));
    db.prepare(sql).run();
    db.close();
    const { code, stderr } = await runParley('audit', '--data-dir', copy);
    expect(code).toBe(1);
    expect(stderr).toContain(row === undefined ? 'the server, row ' : `the server, row ${row}: `);
    await rm(copy, { recursive: true });
  }
});
