import { join } from 'node:path';
import type { InteractionRequest } from '@parleyhq/core';
import { openTokenFile } from '@parleyhq/server';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { createToken } from '../support/command.ts';
import { startGuardedServer } from '../support/guarded-server.ts';
import { pluginOf } from '../support/plugin-file.ts';
import type { Tab } from '../support/tab.ts';
import { startServer } from '../support/use-server.ts';

const source = `export default {
  name: 'desk',
  tools: [{
    name: 'desk_release',
    description: 'Asks two.',
    parameters: { type: 'object' },
    handler: (_, ctx) => ctx.approve({ key: 'release', title: 'Release?', decide: { approve: 2 } }),
  }],
};`;
const desk = pluginOf(source);

const vote = (tab: Tab, session: string, prompt: InteractionRequest) =>
  tab.answer(session, prompt, { action: 'approve', digest: prompt.digest });

async function ask(owner: Tab): Promise<{ session: string; prompt: InteractionRequest }> {
  const session = await owner.createSession();
  await owner.follow(session);
  await owner.say(session, '/call desk_release {}');
  return { session, prompt: await owner.prompt(session) };
}

/** Ann has voted; the token of the given person is revoked when Bob's vote, which would decide, is about to be stored. */
async function voteWhileRevoking(whose: 'Ann' | 'Bob') {
  const { default: plugin } = await import(desk);
  const server = await startGuardedServer({ plugins: [plugin] });
  const owner = await server.enter();
  const tokens = {
    Ann: await server.makeToken({ role: 'responder', name: 'Ann' }),
    Bob: await server.makeToken({ role: 'responder', name: 'Bob' }),
  };
  const ann = await server.local.open({ hello: { token: tokens.Ann.token } });
  const bob = await server.local.open({ hello: { token: tokens.Bob.token } });
  const { session, prompt } = await ask(owner);
  await vote(ann, session, prompt);
  const { store } = server.local;
  let isRevoked = false;
  store.intercept('events', 'append', async (append, { events }) => {
    const isDecision = events.some(({ text }) => JSON.parse(text).type === 'interaction_response');
    if (isDecision && !isRevoked) {
      isRevoked = true;
      await store.tokens.remove(tokens[whose].id);
    }
    return append();
  });
  return { owner, session, prompt, tokens, reply: await vote(bob, session, prompt) };
}

const listOf = (tab: Tab, session: string, type: string) =>
  tab.events(session).filter((event) => event.type === type) as { payload: object }[];

test("[TEAM3, SEC9] if a voter's token is revoked while the deciding vote is being stored, that vote decides nothing", async () => {
  const { owner, session, prompt, tokens, reply } = await voteWhileRevoking('Ann');
  expect(reply).toMatchObject({ ok: true, result: { vote: true, votes: { approve: 1, deny: 0 } } });
  const { payload } = await owner.event(session, 'interaction_vote', ({ payload }) => payload.by.name === 'Bob');
  expect(payload).toMatchObject({ struck: [tokens.Ann.id], votes: { approve: 1, deny: 0 } });
  expect(listOf(owner, session, 'interaction_response')).toEqual([]);
  expect(await vote(owner, session, prompt)).toMatchObject({ ok: true });
  const response = await owner.event(session, 'interaction_response');
  expect(response.payload).toMatchObject({ by: { principal: 'owner' }, votes: { approve: 2, deny: 0 } });
});

test("[TEAM3, SEC9] if a voter's token is revoked while their own vote would decide, they have not voted", async () => {
  const { owner, session, prompt, reply } = await voteWhileRevoking('Bob');
  expect(reply).toMatchObject({ ok: false, error: { code: 'unauthorised' } });
  expect(listOf(owner, session, 'interaction_response')).toEqual([]);
  expect(await vote(owner, session, prompt)).toMatchObject({ ok: true });
  const response = await owner.event(session, 'interaction_response');
  expect(response.payload).toMatchObject({ by: { principal: 'owner' }, votes: { approve: 2, deny: 0 } });
  expect(listOf(owner, session, 'interaction_vote')).toHaveLength(1);
});

const rounds = 12;
const timeout = 60_000;

/** Acts after this many turns of the event loop. */
async function later<T>(turns: number, act: () => Promise<T>): Promise<T> {
  for (let n = 0; n < turns; n += 1) await new Promise((resolve) => setImmediate(resolve));
  return act();
}

test('[TEAM3, SEC9] a deciding vote and a revocation by another process are ordered, and the decision respects the order', {
  timeout,
}, async () => {
  const server = await startServer({ args: [], plugins: [desk] });
  const owner = await server.open({ hello: { token: server.ready.token } });
  const bobs = await createToken(server.dataDir, '--role', 'responder', '--name', 'Bob');
  const bob = await server.open({ hello: { token: bobs.token } });
  const file = openTokenFile(server.dataDir);
  const cases: { id: string; interactionId: string; isDecided: boolean }[] = [];
  for (let n = 0; n < rounds; n += 1) {
    const { id, token } = await createToken(server.dataDir, '--role', 'responder', '--name', `Ann ${n}`);
    const ann = await server.open({ hello: { token } });
    const { session, prompt } = await ask(owner);
    expect(await vote(ann, session, prompt)).toMatchObject({ result: { vote: true } });
    const [reply] = await Promise.all([vote(bob, session, prompt), later(2 ** n - 1, () => file.tokens.remove(id))]);
    const isDecided = reply.ok && !('vote' in (reply.result as object));
    const votes = isDecided ? { approve: 2, deny: 0 } : { approve: 1, deny: 0 };
    const type = isDecided ? 'interaction_response' : 'interaction_vote';
    const event = await owner.event(session, type, ({ payload }) => payload.by.name === 'Bob');
    expect(event.payload).toMatchObject({ votes });
    expect('struck' in event.payload).toBe(!isDecided);
    cases.push({ id, interactionId: prompt.interactionId, isDecided });
  }
  await file.close();
  const rows = readAudit(server.dataDir);
  for (const { id, interactionId, isDecided } of cases) {
    const revokedAt = rows.findIndex((row) => row.event === 'token_revoked' && row.tokenId === id);
    const decidedAt = rows.findIndex(
      (row) => row.event === 'interaction_response' && row.interactionId === interactionId,
    );
    expect(revokedAt).toBeGreaterThanOrEqual(0);
    expect(decidedAt >= 0).toBe(isDecided);
    if (isDecided) expect(decidedAt).toBeLessThan(revokedAt);
  }
});

/** Reads the rows of all chains, in the order in which they were committed. */
function readAudit(dataDir: string): readonly Record<string, unknown>[] {
  const db = new Sqlite(join(dataDir, 'parley.db'), { readonly: true });
  const rows = db.prepare('select text from audit order by rowid').pluck().all();
  db.close();
  return rows.map((text) => JSON.parse(String(text)));
}
