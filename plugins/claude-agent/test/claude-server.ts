import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ParleyProcess, type PersonTab, type StartParleyOptions, startParley } from '@parleyhq/client/process';
import type { EventType, Payload } from '@parleyhq/core';
import { callTool, FakeMessagesApi, type FakeReply, failWith, type SentBody } from '@parleyhq/plugin-anthropic/testing';
import { useInFile } from '@parleyhq/server/testing';

/** The folder in which `scripts/more-tests.mjs` installs the SDK. */
export const sdk = process.env.PARLEY_CLAUDE_SDK as string;

/** Each SDK process takes a second to start, and ten on a busy machine. */
export const patienceMs = 60_000;

/** An empty folder that is removed when the process ends. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-test-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes a configuration with these settings of the plugin. @returns its file */
export function configOf(settings: object): string {
  const file = join(makeFolder(), 'parley.config.json');
  writeFileSync(file, JSON.stringify({ pluginConfigs: { 'claude-agent': settings } }));
  return file;
}

/** An environment without a home folder, with no ANTHROPIC_* and CLAUDE_* variables except the given ones. */
export function onlyThese(env: Readonly<Record<string, string>>): Record<string, string | undefined> {
  const own = Object.keys(process.env).map((name) => [name, undefined]);
  return { ...Object.fromEntries(own), PATH: process.env.PATH, ...env };
}

/** The settings of a server with the agent that uses this API. */
export function startOptions(api: FakeMessagesApi, config: object = {}): StartParleyOptions {
  return {
    plugins: [fileURLToPath(new URL('plugins/echo.mjs', import.meta.url))],
    args: ['--agent', 'claude-agent', '--config', configOf({ sdk, ...config })],
    env: onlyThese({ ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: api.url }),
  };
}

/** A server with the real SDK and a fake Messages API, and one person in one session. */
class ClaudeServer {
  readonly #config: object;
  #running: { readonly api: FakeMessagesApi; readonly server: ParleyProcess } | undefined;
  #tab: PersonTab | undefined;
  #script: FakeReply[] = [];
  #fallback: (body: SentBody) => FakeReply = () => failWith(400, 'invalid_request_error', {}, 'Nothing is scripted.');

  /** @param config - settings of the plugin */
  constructor(config: object = {}) {
    this.#config = config;
  }

  async start(): Promise<void> {
    const api = await FakeMessagesApi.start({ isLenient: true });
    api.otherwise((body) => this.#reply(body));
    const server = await startParley(startOptions(api, this.#config));
    this.#running = { api, server };
    this.#tab = await server.tab({ patienceMs });
  }

  get api(): FakeMessagesApi {
    return this.#current.api;
  }

  get server(): ParleyProcess {
    return this.#current.server;
  }

  get tab(): PersonTab {
    if (!this.#tab) throw new Error('the server has not been started');
    return this.#tab;
  }

  /** Starts a new session with a message; the API replies to its requests in this order. */
  async ask(words: string, ...replies: readonly FakeReply[]): Promise<void> {
    this.script(...replies);
    this.#tab = await this.server.tab({ patienceMs });
    await this.say(words);
  }

  /** The replies to the next requests; after them the API uses `otherwise`. */
  script(...replies: readonly FakeReply[]): void {
    this.#script = [...replies];
  }

  otherwise(reply: (body: SentBody) => FakeReply): void {
    this.#fallback = reply;
  }

  #reply(body: SentBody): FakeReply {
    if (isFalse(body)) return { content: [{ type: 'text', text: 'Nobody reads this.' }] };
    return this.#script.shift() ?? this.#fallback(body);
  }

  say(words: string): Promise<unknown> {
    return this.tab.say(words);
  }

  /** Kills the server as a power cut would, and starts it again. */
  async crash(): Promise<void> {
    await this.server.restart();
  }

  /** The conversation in the n-th request of this session, without what the SDK adds. */
  async sent(n: number): Promise<string[]> {
    while (this.requests.length < n) await this.api.request(this.api.requests.length + 1);
    return tell(this.requests[n - 1]!);
  }

  /** The conversation in the last request. */
  lastSent(): Promise<string[]> {
    return this.sent(this.requests.length);
  }

  get requests(): readonly SentBody[] {
    return this.#mine().filter((body) => !isFalse(body));
  }

  /** Requests that wrongly report a denial to the model: a process may send them at any time after it lost its server. */
  get falseNews(): readonly SentBody[] {
    return this.#mine().filter(isFalse);
  }

  #mine(): SentBody[] {
    const folder = `/sessions/${this.tab.sessionId}/`;
    return this.api.requests.map(({ body }) => body).filter((body) => JSON.stringify(body).includes(folder));
  }

  /** Lists the folder in which this session works. */
  get work(): string {
    return join(this.server.dataDir, 'plugins/claude-agent/sessions', this.tab.sessionId, 'work');
  }

  async files(): Promise<string[]> {
    return (await readdir(this.work)).sort();
  }

  async end(after = 0) {
    return (await this.tab.event('turn_end', undefined, after)).payload;
  }

  get seq(): number {
    return this.tab.events().at(-1)?.seq ?? 0;
  }

  payloads<Type extends EventType>(...types: Type[]) {
    const events = this.tab.events().filter(({ type }) => (types as EventType[]).includes(type));
    return events.map(({ payload }) => payload as Payload<Type>);
  }

  async remove(): Promise<void> {
    await this.#running?.server.stop();
    await this.#running?.api.close();
  }

  get #current() {
    if (!this.#running) throw new Error('the server has not been started');
    return this.#running;
  }
}

/** One server for the tests of a file. */
export function useClaudeServer(config?: object): ClaudeServer {
  return useInFile(new ClaudeServer(config));
}

function isFalse(body: SentBody): boolean {
  return /The user doesn't want to|permission stream closed|interrupted before a result was received/.test(
    JSON.stringify(body.messages),
  );
}

/** One line per block: `user: hello`, `assistant: Bash {"command":"ls"}`, `result: a.txt`, `error: denied`. */
function tell({ messages }: SentBody): string[] {
  return messages.flatMap(({ role, content }) => {
    if ((role as string) === 'system') return [];
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content as string }] : content;
    return blocks.flatMap((block) => {
      if (block.type === 'text') return block.text?.startsWith('<system-reminder>') ? [] : [`${role}: ${block.text}`];
      if (block.type === 'tool_result') return [`${block.is_error ? 'error' : 'result'}: ${textOf(block.content)}`];
      const { name, input } = block as unknown as { name: string; input: object };
      return block.type === 'tool_use' ? [`${role}: ${name} ${JSON.stringify(input)}`] : [];
    });
  });
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return (content as { text?: string }[]).map(({ text }) => text ?? '').join('');
}

let count = 0;

/** A call with a new id. */
export function call(name: string, input: object = {}) {
  count += 1;
  return callTool(`toolu_${process.pid}_${count}`, name, input);
}
