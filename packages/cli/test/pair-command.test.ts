import { openTokenFile } from '@parleyhq/server';
import { beforeEach, expect, test } from 'vitest';
import { ParleyProcess, runParley } from '../../server/test/support/command.ts';
import type { ServerProcess } from '../../server/test/support/server-process.ts';
import { startServer } from '../../server/test/support/use-server.ts';

let server: ServerProcess;
let base: string;
let at: readonly string[];

beforeEach(async () => {
  server = await startServer({ args: [] }); // with a token of its own
  base = `http://127.0.0.1:${server.ready.port}/`;
  at = ['--data-dir', server.dataDir];
});

async function pair(...words: string[]): Promise<{ url: string; expiresAt: string }> {
  const { stdout } = await runParley('pair', ...words, '--json', ...at);
  return JSON.parse(stdout);
}

/** Opens an address as a browser does. @returns the status of the log-in, and its cookie */
async function open(url: string): Promise<{ status: number; cookie: string }> {
  const code = new URL(url).hash.replace('#code=', '');
  const headers = { 'Content-Type': 'application/json', Origin: base.slice(0, -1) };
  const response = await fetch(`${base}api/login`, { method: 'POST', headers, body: JSON.stringify({ code }) });
  return { status: response.status, cookie: response.headers.get('set-cookie')?.split(';')[0] ?? '' };
}

test('[SEC2] parley pair makes an address that logs in one browser as the owner, once, also after kill -9', async () => {
  const { url } = await pair('--url', base);
  expect(url).toMatch(new RegExp(`^${base}#code=[0-9a-z]{16}$`));
  await server.kill();
  await server.restart({ args: ['--port', new URL(base).port] });
  const { status, cookie } = await open(url);
  expect(status).toBe(204);
  const me = await fetch(`${base}api/logins`, { headers: { Cookie: cookie, Origin: base.slice(0, -1) } });
  expect(await me.json()).toMatchObject({
    logins: expect.arrayContaining([expect.objectContaining({ isCurrent: true })]),
  });
  expect(await open(url)).toEqual({ status: 401, cookie: '' });
});

test('[SEC9] it logs in the holder of another token, until that is revoked; a program has no page', async () => {
  const create = (...words: string[]) => runParley('token', 'create', ...words, '--json', ...at);
  const ann = JSON.parse((await create('--role', 'viewer', '--name', 'ann')).stdout) as { id: string };
  await create('--role', 'asker', '--name', 'build');
  const { url } = await pair('ann', '--url', base);
  const other = await pair(ann.id, '--url', base);
  expect((await open(url)).status).toBe(204);
  const { stdout } = await runParley('token', 'logins', '--json', ...at);
  expect(stdout).toContain(ann.id);
  await runParley('token', 'revoke', ann.id, ...at);
  expect((await open(other.url)).status).toBe(401);
  expect(await runParley('pair', 'build', '--url', base, ...at)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('there is no page for it'),
  });
  expect(await runParley('pair', 'nobody', '--url', base, ...at)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('parley token list'),
  });
});

test('[SIGN1, SEC9] it makes no code for people of a provider, whose role follows their log-ins there', async () => {
  const issuer = 'https://login.example.org';
  const file = openTokenFile(server.dataDir);
  await file.tokens.add('hash', { id: 'oidc-1', role: 'operator', issuer, createdAt: new Date().toISOString() });
  await file.close();
  expect(await runParley('pair', 'oidc-1', '--url', base, ...at)).toEqual({
    code: 1,
    stdout: '',
    stderr: `parley: "oidc-1" logs in at ${issuer}: open ${base} on the other device, and log in there.\n`,
  });
});

test('[ASK8] it shows a QR code, says until when, as whom and what others could read, and how to reach the server', async () => {
  const { stdout } = await runParley('pair', '--url', base, ...at);
  expect(stdout).toMatch(/[▀▄█]{10}/);
  expect(stdout).toMatch(/works once, until \d\d:\d\d/);
  expect(stdout).toContain('as the owner (operator)');
  expect(stdout).not.toContain('not encrypted');
  expect((await runParley('pair', '--url', 'http://192.0.2.1:7420', ...at)).stdout).toContain('not encrypted');
  expect(await runParley('pair', '--url', 'parley', ...at)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('is not an address such as https://'),
  });
  expect(await runParley('pair', ...at)).toMatchObject({ code: 2, stderr: expect.stringContaining('tailscale serve') });
});

test('[ASK8] it finds the public address, and says if nothing answers there; at another server it makes no code', async () => {
  const env = { PARLEY_ALLOWED_ORIGINS: 'https://127.0.0.1:1', PARLEY_BEHIND_PROXY: 'true' };
  const { code, stdout } = await new ParleyProcess(['pair', '--json', ...at], { env }).end();
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    url: expect.stringContaining('https://127.0.0.1:1/#code='),
    fault: expect.stringContaining('Nothing answers'),
  });
  expect((await runParley('pair', '--url', base, '--json', ...at)).stdout).not.toContain('fault');
  const other = await startServer();
  const wrong = await runParley('pair', '--url', `http://127.0.0.1:${other.ready.port}/`, ...at);
  expect(wrong).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('is not the server of') });
});

test('[SEC2] it keeps the path of the public address, below which a proxy serves the page', async () => {
  const address = 'http://127.0.0.1:1/parley';
  const expected = expect.stringMatching(/^http:\/\/127\.0\.0\.1:1\/parley\/#code=[0-9a-z]{16}$/);
  const { stdout } = await new ParleyProcess(['pair', '--json', ...at], { env: { PARLEY_PUBLIC_URL: address } }).end();
  expect(JSON.parse(stdout)).toMatchObject({ url: expected });
  expect(await pair('--url', `${address}/?from=mail`)).toMatchObject({ url: expected });
});
