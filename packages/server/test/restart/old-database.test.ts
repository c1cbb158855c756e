import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { verifyReceipt } from '@parleyhq/server';
import Database from 'better-sqlite3';
import { beforeAll, expect, test } from 'vitest';
import { runParley } from '../support/command.ts';
import { useServer } from '../support/use-server.ts';

/** A database that release 0.1.0 left behind when it was killed: two open prompts, a grant, a queued message. */
const golden = fileURLToPath(new URL('../golden/0.1.0.sql', import.meta.url));
const dataDir = mkdtempSync(join(tmpdir(), 'parley-test-'));
const stored: string[] = [];

beforeAll(() => {
  const db = new Database(join(dataDir, 'parley.db'));
  db.exec(readFileSync(golden, 'utf8'));
  stored.push(...(db.prepare('select text from events order by seq').pluck().all() as string[]));
  db.close();
});

const server = useServer({ dataDir });

test('[OPS8, EVT5, DUR1, SIGN3] a database of an earlier release opens, replays as it was stored, and continues', async () => {
  const tab = await server.open();
  const { sessions, open } = await tab.waitFor('welcome');
  const [session] = sessions;
  if (!session) throw new Error('the session is gone');
  expect(session).toMatchObject({ title: 'Before the upgrade', openCount: 2 });
  await tab.follow(session.id);
  expect(tab.events(session.id).slice(0, stored.length)).toEqual(stored.map((text) => JSON.parse(text)));

  const [choice, email] = open.map(({ interaction }) => interaction);
  if (!choice || !email) throw new Error('the prompts are gone');
  await tab.answer(session.id, choice, { action: 'submit', input: { answer: 'Yes' } });
  await tab.answer(session.id, email, { action: 'submit', input: { email: 'ann@example.org' } });
  await tab.event(session.id, 'user_message', ({ payload }) => payload.text === 'Queued before the upgrade');
  const words = (await tab.event(session.id, 'assistant_done', undefined, stored.length)).payload.text;
  expect(words).toContain('ask_user returned: {"ok":true,"answer":"Yes"}');
  expect(words).toContain('collect_email returned: {"ok":true,"email":"ann@example.org"}');

  const { grants } = await tab.ask<{ grants: object[] }>({ type: 'list_grants' });
  expect(grants).toMatchObject([{ plugin: 'forms', scope: 'session', sessionId: session.id }]);
  expect(await runParley('audit', '--data-dir', dataDir)).toMatchObject({ code: 0 });
  for (const { interactionId } of [choice, email]) {
    const { code, stdout, stderr } = await runParley('receipt', interactionId, '--data-dir', dataDir);
    expect([code, stderr]).toEqual([0, '']);
    expect((await verifyReceipt(stdout)).receipt).toMatchObject({ interactionId });
  }
});
