import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Journey } from '../../packages/server/test/support/journey.ts';
import { makeFolder } from '../../packages/server/test/support/plugin-file.ts';
import { startServer, useInTest } from '../../packages/server/test/support/use-server.ts';
import { AuthorisationServer } from '../../plugins/mcp/test/authorisation-server.ts';
import { demandToken, HttpToy } from '../../plugins/mcp/test/http-toy.ts';
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

test('[AGT4] the remote servers of docs/mcp.md: one has somebody sign in, the other is given its token', async () => {
  const authority = await useInTest(new AuthorisationServer());
  const tracker = await useInTest(new HttpToy('modern', demandToken(authority)));
  const wiki = await useInTest(new HttpToy('legacy'));
  const written = readFileSync(new URL('remote.config.json', import.meta.url), 'utf8')
    .replace('https://tracker.example.com/mcp', tracker.url)
    .replace('https://wiki.example.com/mcp', wiki.url);
  const config = join(makeFolder(), 'parley.config.json');
  writeFileSync(config, written);
  const server = await startServer({ args: ['--no-auth', '--config', config] });
  const journey = await Journey.begin(server);
  expect((await journey.run('wiki__echo', { text: 'hello' })).result).toBe('hello');
  expect(wiki.authorizations).toEqual(new Set(['Bearer <a token of the wiki>']));
  const prompt = await journey.ask('tracker__sign_in');
  const { searchParams } = new URL(prompt.url ?? '');
  expect(searchParams.get('redirect_uri')).toBe('https://parley.example.com/return');
  expect(searchParams.get('scope')).toBe('issues');
  await journey.answer(prompt, { action: 'deny' });
});
