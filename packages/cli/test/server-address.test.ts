import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { createToken, ParleyProcess } from '../../server/test/support/command.ts';
import { makeFolder } from '../../server/test/support/plugin-file.ts';
import { rawRequest } from '../../server/test/support/raw-http.ts';
import { startServer } from '../../server/test/support/use-server.ts';

const token = 'parley_the-owner-of-this-server';

/** A server on another machine: it is reached only at an https address, with a certificate of its own. */
async function startElsewhere() {
  const folder = makeFolder();
  const words =
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost';
  execFileSync('openssl', words.split(' '), { cwd: folder, stdio: 'ignore' });
  const certificate = join(folder, 'cert.pem');
  let port = 0;
  const tls = createServer({ key: readFileSync(join(folder, 'key.pem')), cert: readFileSync(certificate) }, (near) => {
    const far = connect(port, '127.0.0.1');
    near.on('error', () => far.destroy()).on('close', () => far.destroy());
    far.on('error', () => near.destroy()).on('close', () => near.destroy());
    near.pipe(far).pipe(near);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void tls.close());
  await once(tls, 'listening');
  const url = `https://localhost:${(tls.address() as AddressInfo).port}`;
  const env = { PARLEY_TOKEN: token, PARLEY_BEHIND_PROXY: 'true', PARLEY_ALLOWED_ORIGINS: url };
  const server = await startServer({ args: [], env });
  port = server.ready.port;
  return { url, certificate, dataDir: server.dataDir };
}

test('[OPS2, ASK8] with --url, each command reaches a server on another machine', async () => {
  const { url, certificate, dataDir } = await startElsewhere();
  const { token: asker } = await createToken(dataDir, '--role', 'asker', '--name', 'build');
  const env = { NODE_EXTRA_CA_CERTS: certificate, PARLEY_TOKEN: token, PARLEY_ASK_TOKEN: asker };
  const start = (words: readonly string[], input?: string) =>
    new ParleyProcess([...words, '--url', url], { env, ...(input !== undefined && { input }) });
  const run = async (...words: readonly string[]) => {
    const { code, stdout, stderr } = await start(words).end();
    expect([words[0], code, stderr]).toEqual([words[0], 0, '']);
    return stdout;
  };

  const asking = start(['ask', 'Ship it?', '--option', 'Yes', '--option', 'No']);
  await expect.poll(() => run('inbox', '--list')).toContain('Ship it?');
  const { sessionId, interaction } = JSON.parse(await run('inbox', '--json'));
  expect(await run('answer', interaction.interactionId)).toContain('Ship it?');
  await run('comment', interaction.interactionId, 'In a minute');
  const field = interaction.inputSchema.fields[0].id;
  await run('answer', interaction.interactionId, 'submit', '--input', JSON.stringify({ [field]: 'Yes' }));
  const stderr = expect.stringContaining(`Waiting for an answer at ${url}/s/`); // past the proxy nobody can open the page
  expect(await asking.end()).toMatchObject({ code: 0, stdout: 'Yes\n', stderr });

  expect(await run('tail', sessionId, '--no-follow')).toContain('In a minute');
  expect(await run('grants', 'list')).toBe('Nothing is granted.\n');
  const page = new ParleyProcess(['grants', 'list', '--url', `${url}/s/${sessionId}`], { env });
  expect(await page.end()).toMatchObject({ code: 0, stdout: 'Nothing is granted.\n' });
  expect(await run('stats')).toContain('ask_human');
  const chat = await start(['chat'], '/help\n').end();
  expect(chat).toMatchObject({ code: 0, stderr: expect.stringContaining(`${url}/s/`) });
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'Script', version: '1' } };
  const greeting = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`;
  const { stdout } = await start(['mcp'], greeting).end();
  expect(JSON.parse(stdout)).toMatchObject({ id: 1, result: { serverInfo: expect.anything() } });
});

test('[SEC3, OPS8] past its proxy the page leads to the same page at the public address, and nowhere else', async () => {
  const env = { PARLEY_BEHIND_PROXY: 'true', PARLEY_ALLOWED_ORIGINS: 'https://parley.example.org' };
  const { ready } = await startServer({ args: [], env });
  for (const path of ['/s/abc', '//evil.example/x', '/s/%22%3E%3Cscript%3E']) {
    const lines = [`GET ${path} HTTP/1.1`, `Host: 127.0.0.1:${ready.port}`, 'Accept: text/html', 'Connection: close'];
    const { text } = await rawRequest(ready.port, lines);
    expect([...text.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => new URL(href).origin)).toEqual([
      'https://parley.example.org',
    ]);
    expect(text).not.toContain('<script');
  }
});

test('[SEC3, OPS8] behind a proxy whose address nobody named, the start says that the page opens nowhere', async () => {
  const words = ['serve', '--behind-proxy', '--port', '0', '--data-dir', makeFolder()];
  const serving = new ParleyProcess(words, { env: { PARLEY_TOKEN: token } });
  await serving.prints('its page opens nowhere');
  serving.kill('SIGTERM');
  expect(await serving.end()).toMatchObject({ code: 0 });
});

test('[OPS2, SEC2] it says what is wrong with an address, and sends no token there', async () => {
  const { url } = await startElsewhere();
  const run = (...words: readonly string[]) => new ParleyProcess(words, { env: { PARLEY_TOKEN: token } }).end();
  const distrusted = `This machine does not trust the certificate of ${url}`;
  expect(await run('ask', 'Ship it?', '--url', url)).toMatchObject({
    code: 5,
    stderr: expect.stringContaining(distrusted),
  });
  expect(await run('grants', 'list', '--url', url)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(distrusted),
  });
  for (const [words, reason] of [
    [['--url', 'http://parley.example.org'], 'must be an https address'],
    [['--url', 'parley'], 'must be an https address'],
    [['--url', url, '--port', '1'], 'the address has the host and the port'],
  ] as const)
    expect(await run('inbox', ...words)).toMatchObject({ code: 2, stderr: expect.stringContaining(reason) });

  const [own, other] = await Promise.all([startServer({ args: [] }), startServer({ args: [] })]);
  const there = await run('grants', 'list', '--url', other.httpUrl, '--data-dir', own.dataDir);
  expect(there).toMatchObject({ code: 1, stderr: expect.stringContaining('was not sent the token') });
});

test('[ASK8] parley pair says so if this computer does not trust the certificate of the address', async () => {
  const { url, certificate, dataDir } = await startElsewhere();
  const pair = async (env: Record<string, string>) => {
    const { stdout } = await new ParleyProcess(['pair', '--json', '--url', url, '--data-dir', dataDir], { env }).end();
    return JSON.parse(stdout).fault;
  };
  expect(await pair({})).toContain('does not trust the certificate');
  expect(await pair({ NODE_EXTRA_CA_CERTS: certificate })).toBeUndefined();
});
