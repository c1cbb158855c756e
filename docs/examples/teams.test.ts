import { expect, test } from 'vitest';
import { pathOf, startInTest, Talk } from './test/talk.ts';

test('[TEAM3, TEAM5] two keys: a plugin asks two people, never the requester, and escalates to operators', async () => {
  const server = await startInTest({ plugins: [pathOf('two-keys.ts')] });
  const talk = await Talk.begin(server, '/call drop_table {"table":"orders"}');
  const { error } = await talk.tab.result();
  expect(error).toMatchObject({ code: 'interaction_unavailable' }); // the only person here is the requester
});

test('[TEAM3, TEAM5] a configuration can require two people for a question of a program', async () => {
  const server = await startInTest({ args: ['--config', 'docs/examples/teams.config.json'] });
  const args = { title: 'Deploy?', subject: { kind: 'text', text: 'v2' } };
  const talk = await Talk.begin(server, `/call request_approval ${JSON.stringify(args)}`);
  const prompt = await talk.prompt();
  expect(prompt).toMatchObject({
    decide: { approve: 2, deny: 2 },
    escalate: [{ afterMs: 900_000, audience: { role: 'operator' } }],
  });
  const votes = { approve: 1, deny: 0 };
  expect(await talk.tab.answer(prompt, { action: 'approve' })).toMatchObject({ vote: true, votes });
});
