// nginx and Caddy in front of a server, with the files of docs/deploy.md and a certificate of the test.
import { createHash, randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FileUpload } from '@parleyhq/client';
import type { ServerFrameOf } from '@parleyhq/core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { ClaudeHooks } from '../../../server/test/support/claude-hooks.ts';
import { ParleyProcess as CommandProcess, createToken } from '../../../server/test/support/command.ts';
import { EventStream } from '../../../server/test/support/event-stream.ts';
import { Journey, pluginPath } from '../../../server/test/support/journey.ts';
import { connectMcp, readAnswer } from '../../../server/test/support/mcp-client.ts';
import { makeFolder } from '../../../server/test/support/plugin-file.ts';
import { rawRequest } from '../../../server/test/support/raw-http.ts';
import { ServerProcess } from '../../../server/test/support/server-process.ts';
import { Tab, type TabOptions } from '../../../server/test/support/tab.ts';
import { launchBrowser, openPage } from '../../../web/test/browser.ts';
import { adapt, pathOf } from './example.ts';
import { findPlaces, hasIpv6, type Places, TlsTunnel, WebProxy } from './proxy.ts';

const token = 'parley_of-the-owner-in-this-test';
const bearer = { authorization: `Bearer ${token}` };
/** Longer than the sixty seconds after which nginx ends a silent request unless it is configured otherwise. */
const longMs = 63_000;

/** A server with the documented config file, and an open port without a proxy. */
class Site {
  readonly places: Places;
  readonly tunnel: TlsTunnel;
  readonly #server: ServerProcess;

  private constructor(places: Places, tunnel: TlsTunnel) {
    this.places = places;
    this.tunnel = tunnel;
    const folder = join(places.folder, 'etc');
    mkdirSync(join(folder, 'plugins'), { recursive: true });
    cpSync(pathOf('docs/examples/hello.mjs'), join(folder, 'plugins/hello.mjs'));
    const config = join(folder, 'parley.config.json');
    const origins = [this.origin, `https://${tunnel.host}`].map((origin) => JSON.stringify(origin));
    writeFileSync(config, adapt('parley.config.json', { '"https://parley.example.org"': origins.join(', ') }));
    this.#server = new ServerProcess({
      args: ['--config', config, '--port', String(places.server)],
      plugins: [pluginPath('scripted.mjs')],
      env: { PARLEY_TOKEN: token },
    });
  }

  static async start(): Promise<Site> {
    const places = await findPlaces();
    const site = new Site(places, await TlsTunnel.open(places));
    await site.#server.start();
    return site;
  }

  get server(): ServerProcess {
    return this.#server;
  }

  /** The address as browsers see it. */
  get origin(): string {
    return `https://localhost:${this.places.https}`;
  }

  /** The same for clients without TLS. */
  get url(): string {
    return `http://${this.tunnel.host}`;
  }

  open(options: TabOptions = {}): Promise<Tab> {
    return Tab.open(`ws://${this.tunnel.host}/ws`, { ...options, hello: { token, ...options.hello } });
  }

  async remove(): Promise<void> {
    await this.tunnel.close();
    await this.#server.remove();
  }
}

describe.each([
  ['nginx', WebProxy.startNginx],
  ['Caddy', WebProxy.startCaddy],
] as const)('[SEC2, OPS2] behind %s', (_, start) => {
  let site: Site;
  let proxy: WebProxy;
  beforeAll(async () => {
    site = await Site.start();
    proxy = await start(site.places);
  });
  afterAll(async () => {
    await proxy?.stop();
    await site?.remove();
  });

  test('plain HTTP is sent on to HTTPS', async () => {
    const { status, headers } = await fetch(`http://localhost:${site.places.http}/inbox`, { redirect: 'manual' });
    expect(status).toBeGreaterThanOrEqual(301);
    expect(headers.get('location')).toMatch(/^https:\/\/localhost(:\d+)?\/inbox$/);
  });

  test('a person logs in on the page and answers, over a restart of the server', async () => {
    const browser = await launchBrowser();
    onTestFinished(() => browser.close());
    const page = await openPage(browser, `${site.origin}/#token=${token}`, { ignoreHTTPSErrors: true });
    await page.getByLabel('Message', { exact: true }).fill('/call greet');
    await page.getByLabel('Message', { exact: true }).press('Enter');
    const name = page.getByRole('textbox', { name: 'Name' });
    await name.waitFor();
    const [cookie] = await page.context().cookies();
    expect(cookie).toMatchObject({ name: expect.stringMatching(/^__Host-/), secure: true, httpOnly: true });

    expect(await site.server.kill('SIGTERM')).toBe(0);
    expect((await fetch(`${site.url}/healthz`)).status).toBe(502);
    await page
      .getByText(/Connection lost|not responding/)
      .first()
      .waitFor();
    await site.server.start();
    await page
      .getByText(/Connection lost|not responding/)
      .first()
      .waitFor({ state: 'hidden' });
    await name.fill('Ada');
    await name.press('Enter');
    await page.getByText('Hello, Ada!').waitFor();
  });

  test('sockets carry frames both ways and are closed when the server stops', async () => {
    const journey = await Journey.begin(site);
    const prompt = await journey.ask('greet');
    expect(await journey.submit(prompt, { name: 'Bea' })).toMatchObject({ ok: true });
    expect(await journey.outcome()).toEqual({ result: 'Hello, Bea!' });
    await site.server.kill('SIGTERM');
    expect(await journey.tab.closed()).toBe(1012);
    await site.server.start();
    await (await journey.join(site)).event('tool_result');
  });

  test('event streams arrive while they are written', async () => {
    const stream = await EventStream.open(`${site.url}/api/stream`, bearer);
    onTestFinished(() => stream.close());
    const { connectionId } = (await stream.frame('welcome')) as ServerFrameOf<'welcome'>;
    const send = async (frame: object) => {
      const headers = { ...bearer, 'content-type': 'application/json', 'parley-connection': connectionId };
      const body = JSON.stringify({ ...frame, requestId: randomBytes(8).toString('hex') });
      return (await fetch(`${site.url}/api/frames`, { method: 'POST', headers, body })).json();
    };
    const { result } = await send({ type: 'create_session' });
    await send({ type: 'subscribe', sessionId: result.session.id });
    await send({ type: 'user_message', sessionId: result.session.id, messageId: crypto.randomUUID(), text: 'Hello' });
    await stream.until(() => JSON.stringify(stream.frames).includes('assistant_done'));
    expect(stream.isOver).toBe(false);
  });

  test('a client of MCP is notified while it waits', async () => {
    const { token: asker } = await createToken(site.server.dataDir, '--role', 'asker', '--name', 'mcp');
    const client = await connectMcp(site.url, { token: asker });
    const tab = await site.open();
    let isNotified = () => {};
    const notified = new Promise<void>((resolve) => {
      isNotified = resolve;
    });
    const asking = client.callTool(
      { name: 'ask_human', arguments: { question: 'Tea or coffee?' } },
      { onprogress: () => isNotified(), timeout: 120_000 },
    );
    await tab.until((frame) => frame.type === 'session_created');
    await notified;
    const { open } = await (await site.open()).waitFor('welcome');
    const { sessionId, interaction } = open.find(({ interaction }) => interaction.toolName === 'ask_human') ?? {};
    if (!sessionId || !interaction) throw new Error('nothing is open');
    await tab.answer(sessionId, interaction, { action: 'submit', input: { answer: 'Tea' } });
    expect(readAnswer(await asking).text).toContain('Tea');
  });

  test('a silent request waits for a person for longer than a minute', { timeout: 180_000 }, async () => {
    const claude = new ClaudeHooks(
      site.url,
      (await createToken(site.server.dataDir, '--role', 'asker', '--name', 'claude')).token,
    );
    const tab = await site.open();
    const journey = await Journey.begin(site);
    const call = { channel: 'c', callId: 'one', toolName: 'ask_human', args: { question: 'Still there?' } };
    const asker = await createToken(site.server.dataDir, '--role', 'asker', '--name', 'program');
    const calling = fetch(`${site.url}/api/calls?wait=60`, {
      method: 'POST',
      headers: { authorization: `Bearer ${asker.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(call),
    });
    const hook = claude.ask();
    const { session, prompt } = await claude.prompt(tab);
    await sleep(longMs);
    expect((await calling).status).toBe(202);
    expect(await tab.answer(session.id, prompt, { action: 'approve' })).toMatchObject({ ok: true });
    expect(await hook).toMatchObject({ status: 200 });
    expect(await journey.ask('greet')).toMatchObject({ toolName: 'greet' }); // a socket that was silent meanwhile
  });

  test('a file of 100 MiB is uploaded in one request and downloaded', { timeout: 180_000 }, async () => {
    const content = randomBytes(100 * 1024 * 1024);
    const journey = await Journey.begin(site);
    const file = {
      type: 'input',
      inputSchema: { type: 'form', fields: [{ id: 'cv', type: 'file', maxBytes: content.length }] },
    };
    const prompt = await journey.ask('scripted', { request: file });
    const place = `${site.url}/api/sessions/${journey.session}/interactions/${prompt.interactionId}/files/cv`;
    const headers = {
      ...bearer,
      'upload-length': String(content.length),
      'content-disposition': 'attachment; filename="a"',
    };
    const response = await fetch(place, { method: 'POST', headers, body: content });
    expect(response.status).toBe(201);
    expect(await journey.submit(prompt, { cv: (await response.json()).file })).toMatchObject({ ok: true });
    const copy = await fetch(`${place}/0`, { headers: bearer });
    const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
    expect(hash(new Uint8Array(await copy.arrayBuffer()))).toBe(hash(content));
  });

  test('an upload continues after its connections broke', async () => {
    const content = randomBytes(4_000_000);
    const journey = await Journey.begin(site);
    const file = { type: 'input', inputSchema: { type: 'form', fields: [{ id: 'cv', type: 'file' }] } };
    const { interactionId } = await journey.ask('scripted', { request: file });
    const seen: number[] = [];
    const onProgress = (sent: number) => {
      seen.push(sent);
      if (seen.length === 3 || seen.length === 5) setTimeout(() => site.tunnel.cut(), 1);
    };
    const target = { origin: site.url, token, sessionId: journey.session, interactionId, field: 'cv' };
    const blob = Object.assign(new Blob([content]), { name: 'a' });
    const { sha256 } = await new FileUpload(target, blob, { onProgress }).run();
    expect(sha256).toBe(createHash('sha256').update(content).digest('hex'));
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  });

  test('Claude Code on another machine is connected, if that machine trusts the certificate', async () => {
    const { token: asker } = await createToken(site.server.dataDir, '--role', 'asker', '--name', 'laptop');
    const connect = (env: Record<string, string>) => {
      const settings = join(makeFolder(), 'settings.json');
      const words = ['connect', 'claude', '--url', site.origin, '--token', asker, '--settings', settings, '--yes'];
      return new CommandProcess(words, { env }).end();
    };
    const { code, stderr } = await connect({ NODE_EXTRA_CA_CERTS: site.places.certificate });
    expect([code, stderr]).toEqual([0, '']);
    expect((await connect({})).stderr).toContain(site.origin);
  });
});

test('[OPS2] nginx accepts the file without a warning, and listens on IPv6 if the machine has it', async () => {
  const places = await findPlaces();
  const proxy = await WebProxy.startNginx(places);
  onTestFinished(() => proxy.stop());
  expect(proxy.log).not.toContain('[warn]');
  const address = hasIpv6 ? '[::1]' : '127.0.0.1';
  expect(await fetch(`http://${address}:${places.http}`, { redirect: 'manual' })).toMatchObject({ status: 301 });
});

describe('[SEC2] nginx without a line of the file', () => {
  let site: Site;
  beforeAll(async () => {
    site = await Site.start();
  });
  afterAll(() => site.remove());

  /** Starts nginx without the lines that contain this. */
  async function without(words: string): Promise<void> {
    const proxy = await WebProxy.startNginx(site.places, (text) =>
      text
        .split('\n')
        .filter((line) => !line.includes(words))
        .join('\n'),
    );
    onTestFinished(() => proxy.stop());
  }

  test('refuses WebSockets', async () => {
    await without('proxy_set_header Upgrade');
    await expect(site.open()).rejects.toThrow(/Unexpected server response/);
  });

  test('hides from the server under which name it was called', async () => {
    const port = Number(new URL(site.url).port);
    const ask = () => rawRequest(port, ['GET /api/openapi.json HTTP/1.1', 'Host: evil.example', 'Connection: close']);
    const whole = await WebProxy.startNginx(site.places);
    expect(await ask()).toMatchObject({ status: 403, text: expect.stringContaining('allowedOrigins') });
    await whole.stop();
    await without('proxy_set_header Host');
    expect((await ask()).status).toBe(200);
  });

  test('refuses files of more than 1 MiB', async () => {
    await without('client_max_body_size');
    const body = randomBytes(2_000_000);
    expect((await fetch(`${site.url}/api/calls`, { method: 'POST', headers: bearer, body })).status).toBe(413);
  });
});
