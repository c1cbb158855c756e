import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { useInFile, useInTest } from '@parleyhq/server/testing';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { makeFolder } from '../../../server/test/support/plugin-file.ts';
import { ServerProcess } from '../../../server/test/support/server-process.ts';
import { startServer } from '../../../server/test/support/use-server.ts';
import { FaultyProxy, type ProxyFaults } from './faulty-proxy.ts';
import { runDoctor } from './run-doctor.ts';

const token = 'parley_the-owner-of-this-server';
const proxy = useInFile(new FaultyProxy());
let server: ServerProcess;

beforeAll(async () => {
  const env = { PARLEY_TOKEN: token, PARLEY_BEHIND_PROXY: 'true', PARLEY_ALLOWED_ORIGINS: proxy.origin };
  server = await ServerProcess.start({ args: [], env });
  proxy.target = server.ready.port;
});

afterAll(() => server.kill());

/** Examines the server and its public address, which is the proxy's. */
async function look(faults: ProxyFaults): Promise<readonly (string | undefined)[]> {
  proxy.faults = faults;
  const env = { PARLEY_TOKEN: token, PARLEY_BEHIND_PROXY: 'true', PARLEY_ALLOWED_ORIGINS: proxy.origin };
  return (await runDoctor(['--data-dir', server.dataDir], env)).codes;
}

/** Serves whatever is not Parley. @returns its address */
async function serve(listener: RequestListener): Promise<string> {
  const other = createServer(listener).listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await once(other, 'listening');
  return `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
}

const codesAt = async (url: string) => (await runDoctor(['--url', url])).codes;

test('[OPS2] parley doctor finds nothing wrong with a proxy that passes everything on', async () => {
  expect(await look({})).toEqual([]);
  const { findings } = await runDoctor(['--url', proxy.origin]);
  expect(findings[0]?.words).toContain('that takes --token');
});

test.each<[string, ProxyFaults]>([
  ['no-upgrade', { noUpgrade: true }],
  ['address-refused', { host: 'upstream' }],
  ['buffered', { buffers: true }],
  ['clock', { aheadMs: 600_000 }],
  ['no-page', { pageStatus: 404 }],
])('[OPS2] it finds what a proxy does wrong: %s', async (code, faults) => {
  expect(await look(faults)).toEqual([code]);
});

test('[OPS2] it says what a proxy lacks: the upgrade, or the name under which it was called', async () => {
  const wordsAt = async (faults: ProxyFaults) => {
    proxy.faults = faults;
    const { findings } = await runDoctor(['--url', proxy.origin]);
    return findings.filter(({ level }) => level === 'fault').map(({ words }) => words);
  };
  expect(await wordsAt({ noUpgrade: true })).toEqual([expect.stringContaining('pass on Upgrade and Connection')]);
  expect(await wordsAt({ host: 'upstream' })).toEqual([expect.stringContaining('in allowedOrigins')]);
  const own = new URL(server.httpUrl).host; // what nginx passes on by itself
  expect(await wordsAt({ host: own })).toEqual([expect.stringContaining('does not pass on the Host')]);
  proxy.faults = {};
  const { codes } = await runDoctor(['--url', server.httpUrl]); // past the proxy
  expect(codes).toEqual(['address-refused']);
});

test('[SEC3] it finds a server behind a proxy that was given no public address', async () => {
  const env = { PARLEY_TOKEN: token, PARLEY_BEHIND_PROXY: 'true' };
  const lost = await startServer({ args: [], env });
  const { codes, findings } = await runDoctor(['--data-dir', lost.dataDir], env);
  expect(codes).toEqual(['address-refused']);
  expect(findings).toContainEqual(
    expect.objectContaining({ words: expect.stringContaining('neither allowedOrigins nor') }),
  );
});

test('[OPS2] it says which setting names an address at which nothing answers', async () => {
  const env = { PARLEY_TOKEN: token, PARLEY_PUBLIC_URL: 'http://127.0.0.1:9' };
  const { findings } = await runDoctor(['--data-dir', server.dataDir], env);
  expect(findings.find(({ subject }) => subject === 'Address')).toMatchObject({
    code: 'no-server',
    words: expect.stringMatching(/The address is the one in publicUrl: is it right\?$/),
  });
});

test('[SEC3] it finds an address that the server does not let in', async () => {
  proxy.faults = {};
  const stranger = await useInTest(new FaultyProxy());
  stranger.target = server.ready.port;
  const env = { PARLEY_TOKEN: token, PARLEY_PUBLIC_URL: stranger.origin };
  expect((await runDoctor(['--data-dir', server.dataDir], env)).codes).toEqual(['address-refused']);
});

test.each<[string, RequestListener]>([
  ['proxy-alone', (_, response) => response.writeHead(502).end('Bad Gateway')],
  ['redirect', (_, response) => response.writeHead(308, { location: 'https://parley.example.org/' }).end()],
  ['not-parley', (_, response) => response.end('Hello')],
  ['not-ready', (_, response) => response.writeHead(503).end('{"ready":false,"code":"storage_full"}')],
])('[OPS2] it says what answers instead of a server that works: %s', async (code, listener) => {
  expect(await codesAt(await serve(listener))).toEqual([code]);
});

test('[OPS2] it finds that nothing answers, that a certificate is not trusted, and that an address is not encrypted', async () => {
  expect(await codesAt('http://127.0.0.1:1')).toEqual(['no-server']);
  const folder = makeFolder();
  const words =
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=localhost';
  execFileSync('openssl', words.split(' '), { cwd: folder, stdio: 'ignore' });
  const [key, cert] = ['key.pem', 'cert.pem'].map((name) => readFileSync(join(folder, name)));
  const secure = createSecureServer({ ...(key && { key }), ...(cert && { cert }) }).listen(0, '127.0.0.1');
  onTestFinished(() => void secure.close());
  await once(secure, 'listening');
  expect(await codesAt(`https://localhost:${(secure.address() as AddressInfo).port}`)).toEqual(['certificate']);
});

test('[OPS2] an address that is none, a port besides it, and an id there are wrong usage', async () => {
  expect(await runDoctor(['--url', 'parley'])).toMatchObject({ exit: 2, findings: [] });
  expect(await runDoctor(['--url', server.httpUrl, '--port', '1'])).toMatchObject({ exit: 2, findings: [] });
  expect(await runDoctor(['some-id', '--url', server.httpUrl])).toMatchObject({ exit: 2, findings: [] });
});
