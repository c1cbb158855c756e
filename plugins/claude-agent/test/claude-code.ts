import { execFile, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { FakeMessagesApi, type FakeReply, type SentBody, say } from '@parleyhq/plugin-anthropic/testing';
import { afterEach, beforeEach, expect, onTestFinished } from 'vitest';
import { sdk } from './claude-server.ts';

const program = join(sdk, `node_modules/@anthropic-ai/claude-agent-sdk-${process.platform}-${process.arch}`, 'claude');

const key = 'sk-ant-a-key-that-only-the-fake-model-takes';

type Reply = (body: SentBody) => FakeReply;

/** The real Claude Code, with a separate home folder and fake model for each test, so that a slow exit disturbs no other test. */
class ClaudeCode {
  #running: { readonly api: FakeMessagesApi; readonly home: string } | undefined;

  async start(): Promise<void> {
    const api = await FakeMessagesApi.start({ isLenient: true });
    this.#running = { api, home: await mkdtemp(join(tmpdir(), 'parley-test-')) };
  }

  async remove(): Promise<void> {
    await this.api.close();
    await rm(this.home, { recursive: true, force: true, maxRetries: 20 });
  }

  /** The home folder, which is also the working folder. */
  get home(): string {
    return this.#current.home;
  }

  get api(): FakeMessagesApi {
    return this.#current.api;
  }

  /** Runs it without a terminal, with these replies of the model. @returns what it prints */
  run(replies: readonly FakeReply[], ...args: readonly string[]): Promise<string> {
    this.#script(replies);
    return new Promise((resolve) => {
      const options = { cwd: this.home, env: this.#environment };
      const child = execFile(program, ['-p', 'Go on', ...args], options, (_, stdout, stderr) =>
        resolve(stdout + stderr),
      );
      child.stdin?.end();
    });
  }

  /** Runs it in a terminal, which `script` of util-linux provides. */
  async open(replies: readonly FakeReply[] | Reply, ...args: readonly string[]) {
    this.#script(replies);
    const trusted = { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true };
    const approved = [key.slice(-20)];
    const known = { hasCompletedOnboarding: true, theme: 'dark', customApiKeyResponses: { approved, rejected: [] } };
    const config = JSON.stringify({ ...known, projects: { [this.home]: trusted } });
    await writeFile(join(this.home, '.claude.json'), config);
    const mode = args.includes('--permission-mode') ? [] : ['--permission-mode', 'default'];
    const quoted = [program, 'Go on', ...mode, ...args].map((arg) => `'${arg}'`);
    const line = `stty cols 120 rows 40; exec ${quoted.join(' ')}`;
    const child = spawn('script', ['-qfec', line, '/dev/null'], { cwd: this.home, env: this.#environment });
    onTestFinished(() => void child.kill('SIGKILL'));
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += String(chunk);
    });
    const shows = (words: RegExp) => expect.poll(() => output.replace(escapes, ' ')).toMatch(words);
    return { shows, type: (keys: string) => child.stdin.write(keys) };
  }

  /** Resolves once the server has answered this hook for the first time. */
  async answered(event: string): Promise<{ readonly first: Promise<void> }> {
    const file = join(this.home, '.claude/settings.json');
    const settings = JSON.parse(await readFile(file, 'utf8'));
    const [hook] = settings.hooks[event][0].hooks;
    const answered = new EventEmitter();
    const first = once(answered, 'answer').then(() => undefined);
    const relay = createServer(async (request, response) => {
      const { authorization = '' } = request.headers;
      const headers = { 'content-type': 'application/json', authorization };
      const answer = await fetch(hook.url, { method: 'POST', headers, body: await text(request) });
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
      answered.emit('answer');
    });
    await once(relay.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void relay.close());
    const { port } = relay.address() as AddressInfo;
    settings.hooks[event] = [{ hooks: [{ ...hook, url: `http://127.0.0.1:${port}` }] }];
    await writeFile(file, JSON.stringify(settings));
    return { first };
  }

  /** All messages that were sent to the model. */
  get sent(): string {
    return JSON.stringify(this.api.requests.map(({ body }) => body.messages));
  }

  /** The text files that it created. */
  async files(): Promise<string[]> {
    return (await readdir(this.home)).filter((name) => name.endsWith('.txt'));
  }

  /** @param replies the model's replies, or a function that computes each from the request */
  #script(replies: readonly FakeReply[] | Reply): void {
    if (typeof replies !== 'function') this.api.script(...replies);
    this.api.otherwise(typeof replies === 'function' ? replies : () => ({ content: [say('Done.')] }));
  }

  get #current() {
    if (!this.#running) throw new Error('it is there only within a test');
    return this.#running;
  }

  get #environment() {
    return {
      PATH: process.env.PATH,
      SHELL: '/bin/bash',
      TERM: 'xterm-256color',
      HOME: this.home,
      TMPDIR: this.home,
      ANTHROPIC_API_KEY: key,
      ANTHROPIC_BASE_URL: this.api.url,
      CLAUDE_CODE_AUTO_MODE_SERVER: '0', // the fake model is the classifier, too
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
    };
  }
}

/** Starts Claude Code for the tests of a file. */
export function useClaudeCode(): ClaudeCode {
  const claude = new ClaudeCode();
  beforeEach(() => claude.start());
  afterEach(() => claude.remove());
  return claude;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: what terminals obey begins with one
const escapes = /\x1b\[[0-9;?]*[A-Za-z]/g;
