import { readFileSync } from 'node:fs';
import { approve, deny } from '@parleyhq/core/testing';
import { expect, test } from 'vitest';
import { useInTest } from '../../packages/server/test/support/use-server.ts';
import { AuthorisationServer } from '../../plugins/mcp/test/authorisation-server.ts';
import { demandToken, HttpToy } from '../../plugins/mcp/test/http-toy.ts';
import { fileOf, pathOf, startInTest } from './test/talk.ts';

test('[AGT4, APR3] the configuration of docs/mcp.md: what reads runs, what does not is asked about, by the server’s name', async () => {
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

test('[APR3] office-hours of docs/approvals.md asks about servers, and denies what is named production', async () => {
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

test('[AGT4] the remote servers of docs/mcp.md: one has somebody sign in, the other is given its token', async () => {
  const authority = await useInTest(new AuthorisationServer());
  const tracker = await useInTest(new HttpToy('modern', demandToken(authority)));
  const wiki = await useInTest(new HttpToy('legacy'));
  const written = readFileSync(new URL('remote.config.json', import.meta.url), 'utf8')
    .replace('https://tracker.example.com/mcp', tracker.url)
    .replace('https://wiki.example.com/mcp', wiki.url);
  const server = await startInTest({ args: ['--config', fileOf(written, 'parley.config.json')] });
  const tab = await server.tab();
  await tab.call('wiki__echo', { text: 'hello' });
  expect(await tab.result()).toEqual({ result: 'hello' });
  expect(wiki.authorizations).toEqual(new Set(['Bearer <a token of the wiki>']));
  await tab.call('tracker__sign_in');
  const prompt = await tab.prompt();
  const { searchParams } = new URL(prompt.url ?? '');
  expect(searchParams.get('redirect_uri')).toBe('https://parley.example.com/return');
  expect(searchParams.get('scope')).toBe('issues');
  await tab.answer(prompt, deny());
});
