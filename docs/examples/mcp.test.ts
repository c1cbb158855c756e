import { expect, test } from 'vitest';
import { Journey } from '../../packages/server/test/support/journey.ts';
import { startServer } from '../../packages/server/test/support/use-server.ts';
import { pathOf } from './test/talk.ts';

test('[AGT4, APR3] the configuration of docs/mcp.md: what reads runs, what does not is asked about, by the server’s name', async () => {
  const server = await startServer({ args: ['--no-auth', '--config', 'docs/examples/mcp.config.json'] });
  const journey = await Journey.begin(server);
  expect((await journey.run('tickets__list')).result).toBe('The printer is on fire');
  const prompt = await journey.ask('tickets__open', { title: 'No coffee' });
  expect(prompt.title).toBe('Call “open” of the MCP server “tickets”');
  await journey.answer(prompt, { action: 'approve' });
  expect((await journey.outcome(prompt)).result).toBe('Ticket 2 of the night team');
});

test('[APR3] office-hours of docs/approvals.md asks about servers, and denies what is named production', async () => {
  const config = ['--no-auth', '--config', 'docs/examples/mcp.config.json'];
  const server = await startServer({ args: config, plugins: [pathOf('office-hours.ts')] });
  const journey = await Journey.begin(server);
  expect((await journey.run('tickets__open', { title: 'production' })).error).toMatchObject({
    code: 'denied',
    message: 'The plugin "office-hours" denies "tickets__open".',
  });
  expect((await journey.run('tickets__list')).result).toBe('The printer is on fire');
  const prompt = await journey.ask('tickets__open', { title: 'test' });
  await journey.answer(prompt, { action: 'deny' });
});
