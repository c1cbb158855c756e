import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startParley } from '@parleyhq/client/process';
import { useInTest } from '@parleyhq/server/testing';
import { expect, onTestFinished, test } from 'vitest';
import { AuthorisationServer } from './authorisation-server.ts';
import { demandToken, HttpToy } from './http-toy.ts';

test('[AGT4] the remote servers of docs/mcp.md: one requires a sign-in, the other receives its token', async () => {
  const authority = await useInTest(new AuthorisationServer());
  const tracker = await useInTest(new HttpToy('modern', demandToken(authority)));
  const wiki = await useInTest(new HttpToy('legacy'));
  const written = readFileSync(new URL('../../../docs/examples/remote.config.json', import.meta.url), 'utf8')
    .replace('https://tracker.example.com/mcp', tracker.url)
    .replace('https://wiki.example.com/mcp', wiki.url);
  const folder = mkdtempSync(join(tmpdir(), 'parley-test-'));
  writeFileSync(join(folder, 'parley.config.json'), written);
  const server = await startParley({ args: ['--config', join(folder, 'parley.config.json')] });
  onTestFinished(async () => {
    await server.stop();
    rmSync(folder, { recursive: true });
  });
  const tab = await server.tab();
  await tab.call('wiki__echo', { text: 'hello' });
  expect(await tab.result()).toEqual({ result: 'hello' });
  expect(wiki.authorizations).toEqual(new Set(['Bearer <a token of the wiki>']));
  await tab.call('tracker__sign_in');
  const prompt = await tab.prompt();
  const { origin, pathname } = new URL(prompt.url ?? '');
  expect(origin + pathname).toBe('https://parley.example.com/return');
  expect(prompt.prompt).toContain('Requested access: issues');
  await tab.answer(prompt, { action: 'deny' });
  expect(authority.redirectUris).toEqual(['https://parley.example.com/return']);
});
