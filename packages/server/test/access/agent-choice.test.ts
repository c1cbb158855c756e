import type { Agent, Session } from '@parleyhq/core';
import { demoAgent } from '@parleyhq/server';
import { expect, test } from 'vitest';
import { startGuardedServer as start } from '../support/guarded-server.ts';

const quiet: Agent = { name: 'quiet', description: 'Says nothing.', async *run() {} };

const forbidden = { ok: false, error: { code: 'forbidden' } };

test('[TEAM2] choosing an agent other than the default requires an operator', async () => {
  const server = await start({ agents: [quiet] });
  const owner = await server.enter();
  const { session } = await owner.ask<{ session: Session }>({ type: 'create_session', agent: 'quiet' });
  const sessionId = session.id;
  const ann = await server.enter({ role: 'responder', name: 'Ann', sessions: [sessionId] });
  const bob = await server.enter({ role: 'responder', name: 'Bob' });
  expect(await ann.request({ type: 'update_session', sessionId, agent: 'quiet' })).toMatchObject(forbidden);
  expect(await bob.request({ type: 'create_session', agent: 'quiet' })).toMatchObject(forbidden);
  expect(await bob.request({ type: 'create_session', agent: 'not there' })).toMatchObject(forbidden);
  expect(await bob.request({ type: 'create_session', agent: 'demo' })).toMatchObject({ ok: true });
  expect(await bob.request({ type: 'update_session', sessionId, agent: 'demo' })).toMatchObject({ ok: true });
  expect(await owner.request({ type: 'update_session', sessionId, agent: 'quiet' })).toMatchObject({ ok: true });
});

test.each([
  ['is not there beside another default', { agents: [quiet], defaultAgent: 'quiet' }, ['quiet']],
  ['is there where it was listed', { agents: [quiet, demoAgent], defaultAgent: 'quiet' }, ['quiet', 'demo']],
  ['is the default where none was named', { agents: [quiet] }, ['demo', 'quiet']],
])('[TEAM2, AGT1] the demo agent %s', async (_, options, names) => {
  const server = await start(options);
  const owner = await server.enter();
  const { agents } = await owner.waitFor('welcome');
  expect(agents.map(({ name }) => name)).toEqual(names);
  const reply = await owner.request({ type: 'create_session', agent: 'demo' });
  expect(reply).toMatchObject(names.includes('demo') ? { ok: true } : { error: { code: 'unknown_agent' } });
});

test('[SEC7, TEAM2] a session that begins with another agent has a row that says who chose it', async () => {
  const server = await start({ agents: [quiet] });
  const owner = await server.enter();
  const create = async (agent: string) =>
    (await owner.ask<{ session: Session }>({ type: 'create_session', agent })).session.id;
  const rowsOf = async (id: string) => (await server.local.store.audit.read(id)).map(({ text }) => JSON.parse(text));
  expect(await rowsOf(await create('quiet'))).toMatchObject([
    { event: 'session_changed', agent: 'quiet', by: { principal: 'owner' } },
  ]);
  expect(await rowsOf(await create('demo'))).toEqual([]);
});
