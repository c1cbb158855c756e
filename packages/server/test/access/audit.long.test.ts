import { hash } from 'node:crypto';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { InteractionRequest } from '@parleyhq/core';
import Sqlite from 'better-sqlite3';
import { beforeAll, expect, test } from 'vitest';
import { createToken, runParley } from '../support/command.ts';
import { pluginPath, question } from '../support/journey.ts';
import type { Tab } from '../support/tab.ts';
import { startServer, useServer } from '../support/use-server.ts';

const timeout = 60_000;
const canary = 'CANARY-7f3a';
const server = useServer({ args: [], plugins: [pluginPath('approve.mjs'), pluginPath('scripted.mjs')] });
let owner: Tab;
let ann: Tab;
let annId: string;
beforeAll(async () => {
  owner = await server.open({ hello: { token: server.ready.token }, label: 'Desk' });
  const { id, token } = await createToken(server.dataDir, '--role', 'responder', '--name', 'Ann');
  annId = id;
  ann = await server.open({ hello: { token }, headers: { 'User-Agent': 'test/1' } });
}, timeout);

async function ask(...calls: string[]): Promise<{ session: string; prompt: InteractionRequest }> {
  const session = await owner.createSession();
  await owner.follow(session);
  await owner.say(session, calls.map((call) => `/call ${call}`).join('\n'));
  return { session, prompt: await owner.prompt(session) };
}

const scripted = (args: object) => `scripted ${JSON.stringify(args)}`;
const parley = (...words: string[]) => runParley('audit', '--data-dir', server.dataDir, ...words);
const rowsOf = async (session: string) => {
  const { code, stdout, stderr } = await parley('--session', session, '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
};

/** Rows without those of calls, which `audit-powers.long.test.ts` is about. */
const claimsOf = async (session: string) => (await rowsOf(session)).filter(({ event }) => event !== 'tool_call');

const byOwner = { principal: 'owner', role: 'operator', label: 'Desk', transport: 'ws', address: '127.0.0.1' };

test('[SEC7] the audit says who answered what, when and from where, and no values', { timeout }, async () => {
  const fields = [
    { id: 'answer', type: 'text' },
    { id: 'pin', type: 'secret' },
  ];
  const { session, prompt } = await ask(
    scripted({ request: { type: 'input', inputSchema: { type: 'form', fields } } }),
  );
  const input = { answer: canary, pin: canary };
  await ann.answer(session, prompt, { action: 'submit', input, reason: canary });
  const response = await owner.event(session, 'interaction_response');
  const { interactionId, toolCallId, digest } = prompt;
  const [call, row, ...others] = await rowsOf(session);
  expect(others).toEqual([]);
  expect(row).toEqual({
    sessionId: session,
    n: 2,
    event: 'interaction_response',
    seq: response.seq,
    at: response.timestamp,
    interactionId,
    toolCallId,
    toolName: 'scripted',
    digest,
    outcome: 'submit',
    by: {
      clientId: ann.clientId,
      connectionId: expect.any(String),
      principal: annId,
      name: 'Ann',
      role: 'responder',
      transport: 'ws',
      address: '127.0.0.1',
      userAgent: 'test/1',
    },
    hash: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  const { hash: found, ...text } = row;
  expect(found).toBe(hash('sha256', `${call.hash}\n${JSON.stringify(text)}`)); // as described in docs/operations.md
  expect(JSON.stringify(row)).not.toContain(canary);
  expect(JSON.stringify(owner.frames)).not.toContain('127.0.0.1');
});

test('[SEC7] the audit records deadlines, stops, grants and a deletion like answers', { timeout }, async () => {
  const timed = await ask(scripted({ request: question('a', { timeoutMs: 1 }) }));
  await owner.event(timed.session, 'turn_end');
  expect(await claimsOf(timed.session)).toMatchObject([{ event: 'interaction_closed', outcome: 'timeout' }]);
  expect((await claimsOf(timed.session))[0]).not.toHaveProperty('by');

  const hooked = await ask(
    scripted({ request: question('a', { timeoutMs: 1 }), onTimeout: [{ return: { complete: 1 } }] }),
  );
  await owner.event(hooked.session, 'turn_end');
  expect((await claimsOf(hooked.session)).map(({ outcome }) => outcome)).toEqual(['expired', 'timeout']);

  const stopped = await ask(scripted({ request: question('a') }));
  await owner.ask({ type: 'cancel_turn', sessionId: stopped.session });
  expect(await claimsOf(stopped.session)).toMatchObject([{ outcome: 'cancelled', by: byOwner }]);

  const covered = await ask('wipe {"path":"x"}', 'wipe {"path":"x"}');
  await owner.answer(covered.session, covered.prompt, { action: 'approve', approvalScope: 'session' });
  await owner.event(covered.session, 'turn_end');
  expect(await claimsOf(covered.session)).toMatchObject([
    { outcome: 'approve', scope: 'session', by: byOwner },
    { outcome: 'approve', grantId: expect.any(String), by: { principal: 'owner' } },
  ]);

  const deleted = await ask(scripted({ request: question('a') }));
  await owner.ask({ type: 'delete_session', sessionId: deleted.session });
  expect(await claimsOf(deleted.session)).toMatchObject([
    { event: 'interaction_closed', outcome: 'session_ended', by: byOwner },
    { event: 'session_deleted', by: byOwner },
  ]);
});

test('[SEC7, OPS2] parley audit prints one line per row, and reports wrong arguments', { timeout }, async () => {
  const { session, prompt } = await ask('wipe {"path":"x"}');
  await ann.answer(session, prompt, { action: 'deny' });
  await owner.event(session, 'turn_end');
  const { code, stdout } = await parley('--session', session);
  expect(code).toBe(0);
  const who = `Ann (${annId}), responder, from 127.0.0.1 over ws`;
  expect(stdout).toContain(`  ${session} 2  wipe ${prompt.interactionId}  deny by ${who}\n2 rows, none altered.\n`);
  expect((await parley()).stdout).toMatch(/\d+ rows, none altered\.\n$/);
  expect(await parley('--session', 'nowhere')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no session "nowhere"'),
  });
  const empty = await mkdtemp(join(tmpdir(), 'parley-test-'));
  expect(await runParley('audit', '--data-dir', empty)).toMatchObject({ code: 2, stdout: '' });
  await rm(empty, { recursive: true });
});

test('[SEC7] rows that were altered, removed or moved are named, and the exit code is 1', { timeout }, async () => {
  const { session } = await ask(...[1, 2, 3, 4].map((n) => scripted({ request: question(`q${n}`) })));
  const asked = async (count: number) => {
    await owner.until(
      (frame) => frame.type === 'chat_event' && frame.sessionId === session && promptsOf().length === count,
    );
    return promptsOf();
  };
  const promptsOf = () =>
    owner.events(session).flatMap((event) => (event.type === 'interaction_request' ? [event.payload] : []));
  for (const prompt of await asked(4)) await owner.answer(session, prompt, { action: 'cancel' });
  await owner.event(session, 'turn_end');

  for (const [sql, row] of [
    [`update audit set text = replace(text, 'cancel', 'submit') where session_id = $session and n = 6`, 6],
    [`delete from audit where session_id = $session and n = 6`, 6],
    [`delete from audit where session_id = $session and n = 8`, 8],
    [`delete from audit where session_id = $session`, 1],
    [
      `update audit set n = case n when 6 then -7 else -6 end where session_id = $session and n in (6, 7);
       update audit set n = -n where session_id = $session and n < 0`,
      6,
    ],
  ] as const) {
    const copy = await mkdtemp(join(tmpdir(), 'parley-test-'));
    await cp(server.dataDir, copy, { recursive: true });
    const db = new Sqlite(join(copy, 'parley.db'));
    for (const statement of sql.split(';')) db.prepare(statement).run({ session });
    db.close();
    const { code, stderr } = await runParley('audit', '--data-dir', copy, '--session', session);
    expect({ sql, code }).toEqual({ sql, code: 1 });
    expect(stderr).toContain(`session ${session}, row ${row}: `);
    await rm(copy, { recursive: true });
  }
  expect((await parley('--session', session)).code).toBe(0);
});

test('[SEC7, DUR1] a kill leaves no settlement without its row, and no row without its settlement', {
  timeout,
}, async () => {
  const own = await startServer({ plugins: [pluginPath('scripted.mjs')] });
  const tabs = await Promise.all(Array.from({ length: 8 }, () => own.open()));
  let answered = 0;
  const killed = new Promise<void>((resolve) => {
    for (const tab of tabs) {
      const play = async () => {
        const session = await tab.createSession();
        await tab.follow(session);
        const calls = Array.from({ length: 10 }, () => `/call ${scripted({ request: question('a') })}`);
        await tab.say(session, calls.join('\n'));
        for (let n = 1; n <= calls.length; n += 1) {
          const prompts = () => tab.events(session).filter(({ type }) => type === 'interaction_request');
          await tab.until(() => prompts().length >= n);
          await tab.answer(session, prompts()[n - 1]?.payload as InteractionRequest, { action: 'cancel' });
          answered += 1;
          if (answered === 30) resolve();
        }
      };
      play().catch(() => undefined); // the server is killed meanwhile
    }
  });
  await killed;
  await own.kill();
  const { code, stdout } = await runParley('audit', '--data-dir', own.dataDir);
  expect(code).toBe(0);
  expect(Number(/(\d+) rows, none altered/.exec(stdout)?.[1])).toBeGreaterThanOrEqual(30);
});
