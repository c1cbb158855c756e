import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fingerprintOfPasskey, makeReceipt, signReceipt } from '@parleyhq/server';
import { expect, onTestFinished, test } from 'vitest';
import { nameLoopback } from '../../server/src/auth/passkeys/host-name.ts';
import { Authenticator, addPasskey, makePage } from '../../server/test/support/authenticator.ts';
import { runParley } from '../../server/test/support/command.ts';
import { failToStart } from '../../server/test/support/fail-to-start.ts';
import { Journey, pluginPath } from '../../server/test/support/journey.ts';
import { approval, SignedPrompt } from '../../server/test/support/signed-prompt.ts';
import { startServer } from '../../server/test/support/use-server.ts';
import { hasIpv6 } from './deploy/proxy.ts';
import { keys, Terminal } from './support/terminal.ts';

/** Writes a config file. @returns its path */
async function writeConfig(settings: object): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const config = join(folder, 'parley.config.json');
  await writeFile(config, JSON.stringify(settings));
  return config;
}

test('[SIGN2] parley passkeys lists everybody’s passkeys and revokes a lost one, while the server runs', async () => {
  const server = await startServer({ args: [] }); // with a token of its own
  const at = ['--data-dir', server.dataDir];
  expect(await runParley('passkeys', ...at)).toMatchObject({ code: 0, stdout: 'Nobody has a passkey.\n' });
  const created = await runParley('token', 'create', '--role', 'responder', '--name', 'Ann', '--json', ...at);
  const ann = JSON.parse(created.stdout);
  const origin = `http://localhost:${server.ready.port}`;
  const lost = new Authenticator(origin);
  expect((await addPasskey(ann.token, lost)).status).toBe(200);
  const { stdout } = await runParley('passkeys', ...at);
  expect(stdout).toContain(`  Ann  Key  for ${origin}, added `);
  const [id = ''] = stdout.split(' ');
  const listed = JSON.parse((await runParley('passkeys', '--json', ...at)).stdout);
  expect(listed).toMatchObject({ id, person: ann.id, name: 'Key', origin, credentialId: lost.id });
  expect(listed).not.toHaveProperty('publicKey');
  const fingerprint = fingerprintOfPasskey(lost);
  expect(listed.fingerprint).toBe(fingerprint);
  expect(stdout).toContain(fingerprint);
  const next = new Authenticator(origin);
  expect((await addPasskey(ann.token, next)).status).toBe(403); // the lost one cannot sign
  expect(await runParley('passkeys', 'revoke', id, ...at)).toMatchObject({ code: 0, stdout: `Revoked ${id}.\n` });
  expect(await runParley('passkeys', 'revoke', id, ...at)).toMatchObject({ code: 1 });
  expect((await addPasskey(ann.token, next)).status).toBe(200);
  const own = await (await makePage(origin, ann.token)('/api/passkeys')).json();
  expect(own.passkeys).toMatchObject([{ credentialId: next.id, fingerprint: fingerprintOfPasskey(next) }]);
  const audit = await runParley('audit', ...at);
  expect(audit.stdout).toContain(`passkey ${id} of ${ann.id} was removed`);
});

test('[SIGN2, SEC9] revoking a passkey ends its person’s log-ins: none on the lost device adds the next first one', async () => {
  const server = await startServer({ args: [] });
  const at = ['--data-dir', server.dataDir];
  const origin = `http://localhost:${server.ready.port}`;
  const create = async (...flags: string[]) =>
    JSON.parse((await runParley('token', 'create', '--role', 'responder', '--json', ...flags, ...at)).stdout);
  const [ann, phone, bob] = [await create('--name', 'Ann'), await create('--owner', 'Ann'), await create()];
  const headers = { 'content-type': 'application/json', origin };
  const logIn = async (token: string) => {
    const response = await fetch(`${origin}/api/login`, { method: 'POST', headers, body: JSON.stringify({ token }) });
    return { ...headers, cookie: response.headers.get('set-cookie')?.split(';')[0] ?? '' };
  };
  expect((await addPasskey(ann.token, new Authenticator(origin))).status).toBe(200);
  const cookies = await Promise.all([ann, phone, bob, server.ready].map(({ token }) => logIn(token)));
  const [id = ''] = (await runParley('passkeys', ...at)).stdout.split(' ');
  expect((await runParley('passkeys', 'revoke', id, ...at)).stdout).toMatch(
    new RegExp(`^Revoked ${id}\\.\nLogged out its person's browsers: \\w+, \\w+\\.\n$`),
  );
  const begin = async (of: object) =>
    (await fetch(`${origin}/api/passkeys/options`, { method: 'POST', headers: of as Headers, body: '{}' })).status;
  expect(await Promise.all(cookies.map(begin))).toEqual([401, 401, 200, 200]);
});

test('[SIGN2] stepUp needs people who log in, and links then have a host name', async () => {
  const config = await writeConfig({ stepUp: 'high' });
  const { code, stderr } = await failToStart({ args: ['--no-auth', '--config', config] });
  expect([code, stderr]).toEqual([2, expect.stringContaining('leave out stepUp')]);
  const server = await startServer({ args: ['--config', config] });
  expect(server.ready.url).toMatch(/^http:\/\/localhost:\d+\/#code=/);
  expect(server.stderr.join('')).not.toContain('host name');
  const elsewhere = await startServer({ args: ['--config', config, '--host', '127.0.0.2'] }); // not what localhost means
  expect(elsewhere.ready.url).toMatch(/^http:\/\/127\.0\.0\.2:/);
  await elsewhere.says('Passkeys need a host name');
});

test('[SIGN2] with stepUp, links to a server on the loopback of IPv6 have a host name, too', async () => {
  expect(['[::1]', '127.0.0.1', '127.0.0.2'].map(nameLoopback)).toEqual(['localhost', 'localhost', '127.0.0.2']);
  if (!hasIpv6) return; // what follows needs it
  const config = await writeConfig({ stepUp: 'high' });
  const server = await startServer({ args: ['--config', config, '--host', '::1'] });
  expect(server.ready.url).toMatch(/^http:\/\/localhost:\d+\/#code=/);
  const page = await fetch(`http://[::1]:${server.ready.port}/healthz`);
  expect(page.ok).toBe(true);
});

test('[SIGN2, SIGN3] parley receipt verify names the passkey by its fingerprint, and demands a certain one', async () => {
  const config = await writeConfig({ stepUp: { tools: ['wipe'] } });
  const server = await startServer({ args: ['--config', config], plugins: [pluginPath('approve.mjs')] });
  const token = String(server.ready.token);
  const key = new Authenticator(`http://localhost:${server.ready.port}`);
  expect((await addPasskey(token, key)).status).toBe(200);
  const journey = await Journey.begin(server, { hello: { token } });
  const prompt = await journey.ask('wipe', { path: '/var/x' });
  const ids = { sessionId: journey.session, person: 'owner', answerId: 'a' };
  const answer = key.signAnswer(ids, prompt, { action: 'approve', approvalScope: 'once' });
  expect(await journey.answer(prompt, answer)).toMatchObject({ ok: true });
  await journey.event('turn_end');
  const file = join(dirname(config), 'receipt.json');
  await runParley('receipt', prompt.interactionId, '--out', file, '--data-dir', server.dataDir);
  const verify = (...flags: string[]) => runParley('receipt', 'verify', ...flags, file);
  const fingerprint = fingerprintOfPasskey(key);
  const { stdout } = await verify();
  expect(stdout).toContain(`\nsigned   with passkey ${fingerprint} at ${key.origin} as person "owner"\n`);
  expect(stdout).toContain('\nterms\n  source: {"kind":"tool","name":"wipe"}\n');
  expect(stdout).not.toContain(key.id);
  expect(stdout).toContain('--passkey');
  const demanded = await verify('--passkey', fingerprint);
  expect(demanded).toMatchObject({ code: 0, stdout: expect.not.stringContaining('--passkey') });
  expect(JSON.parse((await verify('--json')).stdout)).toMatchObject({
    passkeys: [fingerprint],
    signers: [{ person: 'owner', passkey: fingerprint, origin: key.origin }],
  });
  const other = fingerprintOfPasskey(new Authenticator(key.origin));
  expect(await verify('--passkey', other)).toMatchObject({ code: 1, stderr: expect.stringContaining(other) });
  expect(await verify('--passkey', key.id)).toMatchObject({ code: 2, stderr: expect.stringContaining('fingerprint') });
});

test('[SIGN2, SIGN3] verify prints the person who is signed, and calls nothing signed that it has not verified', async () => {
  const prompt = new SignedPrompt();
  const file = join(dirname(await writeConfig({})), 'receipt.json');
  const verify = async (payload: Parameters<typeof prompt.settle>[0]) => {
    const settlement = prompt.settle(payload);
    const receipt = makeReceipt({ request: prompt.request, votes: [], settlement, rows: [] });
    await writeFile(file, signReceipt(receipt, generateKeyPairSync('ed25519').privateKey));
    return runParley('receipt', 'verify', file);
  };
  const payload = prompt.sign('ann', 'a');
  const by = { ...payload.by, principal: 'boss', name: 'The Boss', role: 'operator' };
  const fingerprint = fingerprintOfPasskey(prompt.keyOf('ann'));
  expect((await verify({ ...payload, by })).stdout).toContain(
    `by The Boss (boss), operator over ws, "Fine"\nsigned   with passkey ${fingerprint} at https://parley.example as person "ann"\n`,
  );
  const earlier = (await verify(prompt.sign('ann', 'a', { v: 1 }))).stdout;
  expect(earlier).toContain('\nterms\n  grantTtlMs: 86400000\n  risk: high\n  sessionTtlMs: 3600000\n  source: {');
  expect(earlier).toContain('at https://parley.example as person "ann", without the terms\n');
  const granted = { ...prompt.say('ann', 'a', approval), grantId: 'g' };
  expect((await verify(granted)).stdout).toContain('Allowed once by grant g, "Fine"\nunsigned without a passkey\n');
  const claim = `signed   with passkey ${fingerprint} at https://parley.example as person "ann"`;
  const words = { reason: `Fine", ”\n${claim}` }; // nobody's words pass for a signature
  const claimed = (await verify({ ...granted, ...words })).stdout;
  expect(claimed).toContain(String.raw`grant g, "Fine\", ”\nsigned   with passkey`);
  expect(claimed).not.toMatch(/^signed/m);
  const denial = prompt.say('ann', 'a', { action: 'deny' } as const);
  expect((await verify(denial)).stdout).toMatch(/Denied by .+ over ws\nunsigned without a passkey$/m);
  const forged = await verify({ ...payload, grantId: 'g' });
  expect(forged).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('an answer that takes none') });
});

test('[SIGN2, ASK8] a terminal offers a no to what demands a passkey, and the address where one signs', async () => {
  const config = await writeConfig({ stepUp: { tools: ['wipe'] } });
  const server = await startServer({ args: ['--config', config], plugins: [pluginPath('approve.mjs')] });
  const token = String(server.ready.token);
  const journey = await Journey.begin(server, { hello: { token } });
  const at = ['--port', String(server.ready.port), '--data-dir', server.dataDir];
  const env = { PARLEY_TOKEN: token };
  const chat = Terminal.open(['chat', journey.session, ...at], { columns: 120, env });
  await chat.endsWith('\n>');
  chat.type('/call wipe {"path":"/var/x"}', keys.enter);
  await chat.shows(/Needs your passkey[\s\S]+Decide later/);
  const { interactionId } = await journey.tab.prompt(journey.session);
  expect(chat.text.replace(/\s/g, '')).toContain(
    `localhost:${server.ready.port}/s/${journey.session}/${interactionId}`,
  );
  expect(chat.text).not.toContain('Allow once');
  const { code, stderr } = await runParley('answer', interactionId, 'approve', '--token', token, ...at);
  expect([code, stderr]).toEqual([1, expect.stringContaining('needs your passkey')]);
  chat.type(keys.down, keys.enter);
  await chat.shows('Why?');
  chat.type(keys.enter);
  expect((await journey.event('interaction_response')).payload).toMatchObject({ action: 'deny' });
});
