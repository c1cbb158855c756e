import { approve, deny } from '@parleyhq/core/testing';
import { expect, test } from 'vitest';
import { pathOf, startInTest } from './test/talk.ts';

test('[AGT4, APR3] the configuration of docs/mcp.md: reading tools run, others are asked about with the server’s name', async () => {
  const server = await startInTest({ args: ['--config', 'docs/examples/mcp.config.json'] });
  const tab = await server.tab();
  await tab.call('tickets__list');
  expect(await tab.result()).toEqual({ result: 'The printer is on fire' });
  await tab.call('tickets__open', { title: 'No coffee' });
  const prompt = await tab.prompt();
  expect(prompt.title).toBe('Call “open” of the MCP server “tickets”');
  await tab.answer(prompt, approve());
  expect(await tab.result()).toEqual({ result: 'Ticket 2 of the night team' });
});

test('[APR3] office-hours of docs/approvals.md asks about servers, and denies arguments that mention production', async () => {
  const args = ['--config', 'docs/examples/mcp.config.json'];
  const server = await startInTest({ args, plugins: [pathOf('office-hours.ts')] });
  const tab = await server.tab();
  await tab.call('tickets__open', { title: 'production' });
  expect((await tab.result()).error).toMatchObject({
    code: 'denied',
    message: 'The plugin "office-hours" denies "tickets__open".',
  });
  await tab.call('tickets__list');
  expect(await tab.result()).toEqual({ result: 'The printer is on fire' });
  await tab.call('tickets__open', { title: 'test' });
  await tab.answer(await tab.prompt(), deny());
  expect((await tab.result()).error).toMatchObject({ code: 'denied' });
});
