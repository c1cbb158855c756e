import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { usePostgres } from '../../../../plugins/postgres/test/support/use-postgres.ts';
import { ParleyProcess } from '../../../server/test/support/command.ts';
import { makeFolder } from '../../../server/test/support/plugin-file.ts';
import { startServer } from '../../../server/test/support/use-server.ts';
import { runDoctor } from './run-doctor.ts';

const token = 'parley_the-owner-of-this-server';

function useSql(url: string) {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  onTestFinished(() => sql.end());
  return sql;
}

test('[OPS4, OPS5] parley doctor compares a database in PostgreSQL with this release, and leaves it as it is', async () => {
  const store = await (await usePostgres()).createDatabase();
  const sql = useSql(store);
  const env = { PARLEY_STORE: store };
  const look = async () => (await runDoctor(['--data-dir', makeFolder(), '--port', '1'], env)).codes;
  expect(await look()).toContain('no-data');
  expect(await sql`select to_regclass('meta') as made`).toEqual([{ made: null }]);
  const server = await startServer({ args: [], env: { ...env, PARLEY_TOKEN: token } });
  const { findings } = await runDoctor(['--data-dir', server.dataDir], { ...env, PARLEY_TOKEN: token });
  expect(findings).toContainEqual({
    subject: 'Database',
    level: 'ok',
    words: 'The database in PostgreSQL is of this release.',
  });
  expect(JSON.stringify(findings)).not.toContain(store);
  for (const [schema, code, words] of [
    ['1', 'database-older', 'the start of a server updates it'],
    ['99', 'database-newer', 'Update Parley'],
  ] as const) {
    await sql`update meta set value = ${schema} where name = 'schema'`;
    expect(await look()).toContain(code);
    const listing = new ParleyProcess(['token', 'list', '--data-dir', server.dataDir], { env });
    expect(await listing.end()).toMatchObject({ code: 1, stderr: expect.stringContaining(words) });
    expect(await sql`select value from meta where name = 'schema'`).toEqual([{ value: schema }]);
  }
});

test('[OPS4, TEAM1] parley doctor <id> finds open questions in PostgreSQL, also by the id of a call', async () => {
  const store = await (await usePostgres()).createDatabase();
  const server = await startServer({ args: [], env: { PARLEY_STORE: store, PARLEY_TOKEN: token } });
  const env = { PARLEY_STORE: store, PARLEY_TOKEN: token };
  const words = ['token', 'create', '--role', 'responder', '--name', 'ann', '--data-dir', server.dataDir];
  const made = new ParleyProcess(words, { env });
  expect((await made.end()).code).toBe(0);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const asked = { channel: 'ci', callId: randomUUID(), toolName: 'ask_human', args: { question: 'Publish?' } };
  const response = await fetch(`${server.httpUrl}/api/calls`, { method: 'POST', headers, body: JSON.stringify(asked) });
  const { sessionId, toolCallId } = (await response.json()) as { sessionId: string; toolCallId: string };
  const tab = await server.open({ hello: { token } });
  await tab.follow(sessionId);
  await tab.until((frame) => JSON.stringify(frame).includes('"interaction_request"'));
  const look = (id: string) => runDoctor([id, '--data-dir', server.dataDir], env);
  for (const id of [sessionId, toolCallId, toolCallId.slice(0, -3), `${toolCallId}.1`]) {
    const { exit, codes, findings } = await look(id);
    expect({ exit, codes }).toEqual({ exit: 0, codes: [] });
    expect(findings[0]).toMatchObject({ subject: '“Publish?”', words: 'It is open. May answer: owner, ann.' });
  }
  await fetch(`${server.httpUrl}/api/calls/${toolCallId}`, { method: 'DELETE', headers });
  expect((await look(sessionId)).codes).toEqual(['not-open']);
  expect(await look(toolCallId)).toMatchObject({ exit: 2, stderr: expect.stringContaining('the id of its session') });
  expect(await runDoctor([sessionId, '--data-dir', join(server.dataDir, 'another')], env)).toMatchObject({ exit: 0 });
});
