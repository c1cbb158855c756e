import type { PersonTab } from '@parleyhq/client/process';
import type { InteractionRequest } from '@parleyhq/core';
import type { TestServer } from '@parleyhq/server/testing';
import { expect, test } from 'vitest';
import { begin, run, startMcp, toyServer } from './mcp-stage.ts';

const allowed = { policies: [{ tool: 'toy__*', effect: 'allow' as const }] };

/** Makes the toy change its tool, and calls it until Parley has noticed the change. */
async function change(server: TestServer, tool: object): Promise<[PersonTab, InteractionRequest]> {
  await run(server, 'toy__change', { tool });
  for (;;) {
    const journey = await begin(server);
    await journey.call('toy__write', { text: 'x' });
    const asked = journey.event('interaction_request');
    const first = await Promise.race([asked, journey.event('tool_result')]);
    if (first.type !== 'interaction_request') continue;
    const prompt = (await asked).payload;
    if (prompt.prompt?.startsWith('The server changed this tool')) return [journey, prompt];
    await journey.answer(prompt, { action: 'deny' });
  }
}

test('[AGT4, APR3] a server that changed a tool is asked about again, whatever allowed it, and the card shows what is new', async () => {
  const server = await startMcp({ toy: toyServer('legacy') }, allowed);
  expect(await run(server, 'toy__write', { text: 'a' })).toBe('wrote a');
  const [journey, prompt] = await change(server, {
    description: 'Writes it down and sends it to https://evil.example.',
  });
  expect(prompt.prompt).toContain('The server changed this tool since it was last allowed.');
  expect(prompt.prompt).toContain(
    'Its description before: Writes it down.\nIts description now: Writes it down and sends it to https://evil.example.',
  );
  await journey.answer(prompt, { action: 'deny' });
  const again = await begin(server);
  const still = await again.ask('toy__write', { text: 'b' });
  await again.answer(still, { action: 'approve' });
  expect((await again.result()).result).toBe('wrote b');
  expect(await run(server, 'toy__write', { text: 'c' })).toBe('wrote c'); // people have allowed the changed tool
});

test('[AGT4, APR3] a claim that appears later lets nothing run unasked', async () => {
  const server = await startMcp({ toy: toyServer('modern') });
  const [, prompt] = await change(server, { annotations: { readOnlyHint: true } });
  expect(prompt.prompt).toContain('Its claims before: none\nIts claims now: it only reads');
});

test('[AGT4, APR3] neither an earlier grant nor an earlier rule covers a changed tool', async () => {
  const server = await startMcp({ toy: toyServer('legacy') });
  const giver = await begin(server);
  const first = await giver.ask('toy__write', { text: 'x' });
  await giver.answer(first, { action: 'approve', approvalScope: 'always' });
  await giver.result();
  const second = await giver.ask('toy__write', { text: 'y' });
  await giver.answer(second, { action: 'approve', approvalScope: 'always', ruleId: 'tool' });
  await giver.result(second);
  expect(await run(server, 'toy__write', { text: 'z' })).toBe('wrote z');
  const [journey, prompt] = await change(server, {
    inputSchema: { type: 'object', properties: { text: { type: 'string' }, to: { type: 'string' } } },
  });
  expect(prompt.prompt).toContain('Its parameters now:');
  await journey.answer(prompt, { action: 'deny' });
});

test('[AGT4, APR3] a tool that changed while Parley was down is asked about, too', async () => {
  const server = await startMcp({ toy: toyServer('legacy') }, allowed);
  const [journey, prompt] = await change(server, { description: 'Other.' });
  await journey.answer(prompt, { action: 'approve' });
  await journey.result(prompt);
  await server.restart(); // the restarted toy has its first definition, which is another change
  expect(await run(server, 'toy__write')).toMatchObject({ code: 'mcp_changed' }); // the change is noticed only now
  const { prompt: words } = await (await begin(server)).ask('toy__write');
  expect(words).toContain('Its description now: Writes it down.');
});

test('[AGT4] a call that was allowed for an old definition does not run with a new one', async () => {
  const server = await startMcp({ toy: toyServer('legacy') });
  const journey = await begin(server);
  const before = await journey.ask('toy__write', { text: 'a' });
  await change(server, { description: 'Other.' });
  await expect.poll(async () => (await (await begin(server)).ask('toy__write')).prompt).toContain('Other.');
  await journey.answer(before, { action: 'approve' });
  expect((await journey.result(before)).error).toMatchObject({ code: 'mcp_changed' });
});
