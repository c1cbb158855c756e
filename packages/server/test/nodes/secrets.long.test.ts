import { createHash } from 'node:crypto';
import type { InteractionRequest } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { pluginOf } from '../support/plugin-file.ts';
import type { Reply, Tab } from '../support/tab.ts';
import { dump, lookInto } from './support/look-into.ts';
import { startTwo } from './support/start-nodes.ts';

/** A tool that asks for a password and returns only its hash. */
const plugin = `
import { createHash } from 'node:crypto';
export default {
  name: 'vault',
  tools: [{
    name: 'unlock',
    description: 'Asks for a password.',
    parameters: { type: 'object' },
    handler: async (args, ctx) => {
      const fields = [{ id: 'user', type: 'text', label: 'User' }, { id: 'password', type: 'secret', label: 'Password' }];
      const { input } = await ctx.requestInteraction({ type: 'input', title: 'Unlock', inputSchema: { type: 'form', fields } });
      await ctx.requestInteraction({ type: 'approval', title: 'Open it?' });
      return { user: input.user, hash: createHash('sha256').update(input.password).digest('hex') };
    },
  }],
};
`;

const canary = 'canary-7f3a-hunter2';
const hash = createHash('sha256').update(canary).digest('hex');

async function startVault() {
  const { nodes, url } = await startTwo({ plugins: [pluginOf(plugin)] });
  return { nodes, sql: lookInto(url) };
}

function typePassword(tab: Tab, session: string, prompt: InteractionRequest): Promise<Reply> {
  return tab.answer(session, prompt, { action: 'submit', input: { user: 'ann', password: canary } });
}

/** Sends the password again until it is stored, because a node that has just started may not know yet for whom to seal. */
async function passPassword(tab: Tab, session: string): Promise<void> {
  const prompt = await tab.prompt(session);
  const replies: Reply[] = [];
  const isTaken = async () => replies[replies.push(await typePassword(tab, session, prompt)) - 1]?.ok;
  await expect.poll(isTaken, { timeout: 30_000 }).toBe(true);
  for (const refused of replies.slice(0, -1)) expect(refused).toMatchObject({ error: { code: 'retry_later' } });
}

/** Answers the second question of the tool, which has the password; `look` runs before. */
async function allow(tab: Tab, session: string, look: () => Promise<void> = async () => undefined): Promise<void> {
  const asked = await tab.event(session, 'interaction_request', ({ payload }) => payload.title === 'Open it?');
  await look();
  expect((await tab.answer(session, asked.payload, { action: 'approve' })).ok).toBe(true);
}

test('[OPS4, INT17, SEC8] a secret that is typed at another node reaches the tool, sealed: it is in no table, notification, log or frame', async () => {
  const { nodes, sql } = await startVault();
  const [a, b] = nodes;
  const told: string[] = [];
  for (const channel of ['parley_news', 'parley_bus']) await sql.listen(channel, (payload) => told.push(payload));
  const [atA, atB] = [await a.open(), await b.open()];
  const session = await atA.createSession();
  await atB.until((frame) => frame.type === 'session_created' && frame.session.id === session);
  await Promise.all([atA.follow(session), atB.follow(session)]);
  await atA.say(session, '/call unlock {}');
  await passPassword(atB, session);
  await allow(atB, session, async () => {
    expect(await sql`select 1 from records where key like 'sealed:%'`).toHaveLength(1);
    expect(await dump(sql)).not.toContain(canary);
  });
  const result = await atB.event(session, 'tool_result');
  expect(result.payload).toMatchObject({ result: { user: 'ann', hash } });
  await atB.event(session, 'turn_end');
  expect(atB.events(session).filter(({ type }) => type === 'interaction_request')).toHaveLength(2);
  const traces = [await dump(sql), told, a.stderr, b.stderr, atA.frames, atB.frames];
  expect(traces.map((trace) => JSON.stringify(trace)).join()).not.toContain(canary);
  expect(await sql`select 1 from records where key like 'sealed:%'`).toHaveLength(0);
});

test('[OPS4, INT17] a secret is not accepted until the node that runs the turn is known to be alive', async () => {
  const { nodes, sql } = await startVault();
  const [a, b] = nodes;
  const [atA, atB] = [await a.open(), await b.open()];
  const session = await atA.createSession();
  await atA.say(session, '/call unlock {}');
  await atB.follow(session);
  const prompt = await atB.prompt(session);
  const { owner } = (await atB.event(session, 'turn_start')).payload;
  await sql.unsafe(`
    create function say_nothing() returns trigger language plpgsql as 'begin new.details = ''{}''; return new; end';
    create trigger silence before insert or update on nodes
      for each row when (new.id = '${owner}') execute function say_nothing()`); // nor for whom to seal
  const isSilent = () => sql`select 1 from nodes where id = ${owner} and details = '{}'`;
  await expect.poll(isSilent, { timeout: 30_000 }).toHaveLength(1);
  for (let looks = 0; looks < 2; looks += 1) {
    const leaseOfB = async () => (await sql`select until::text from nodes where id <> ${owner}`)[0]?.until;
    const before = await leaseOfB();
    await expect.poll(leaseOfB, { timeout: 30_000 }).not.toBe(before); // when it renews its lease again, it has seen the others
  }
  const refused = await typePassword(atB, session, prompt);
  expect(refused).toMatchObject({ ok: false, error: { code: 'retry_later' } });
  expect(await sql`select 1 from records where key like 'sealed:%'`).toHaveLength(0);
  await sql`drop trigger silence on nodes`;
  await passPassword(atB, session);
  await allow(atB, session);
  const result = await atB.event(session, 'tool_result');
  expect(result.payload).toMatchObject({ result: { hash } });
});
