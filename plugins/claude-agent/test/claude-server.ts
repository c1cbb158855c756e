import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { callTool, FakeMessagesApi, type FakeReply, type SentBody } from '@parley/server/testing';
import { Journey, pluginPath } from '../../../packages/server/test/support/journey.ts';
import { pluginOf } from '../../../packages/server/test/support/plugin-file.ts';
import { ServerProcess, type StartOptions } from '../../../packages/server/test/support/server-process.ts';

/** Where `npm run test:claude-agent` has installed the SDK. */
export const sdk = process.env.PARLEY_CLAUDE_SDK as string;

/** How a server is started with the agent, before this API. */
export async function startOptions(api: FakeMessagesApi, config: object = {}): Promise<StartOptions> {
  const settings = JSON.stringify({ pluginConfigs: { 'claude-agent': { sdk, ...config } } });
  return {
    plugins: [pluginPath('tools.mjs')],
    args: ['--no-auth', '--agent', 'claude-agent', '--config', await pluginOf(settings, 'parley.config.json')],
    env: { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: api.url, PATH: process.env.PATH ?? '' },
    isAlone: true, // no home folder, and no variable of ANTHROPIC_* or CLAUDE_* but these two
  };
}

/** A server with the real SDK before a fake Messages API, and one person in one session. */
export class ClaudeServer {
  readonly api: FakeMessagesApi;
  server: ServerProcess;
  journey: Journey;
  /** Requests of earlier sessions. */
  #earlier = 0;

  private constructor(api: FakeMessagesApi, server: ServerProcess, journey: Journey) {
    this.api = api;
    this.server = server;
    this.journey = journey;
  }

  static async start(config: object = {}): Promise<ClaudeServer> {
    const api = await FakeMessagesApi.start({ isLenient: true });
    const server = await ServerProcess.start(await startOptions(api, config));
    return new ClaudeServer(api, server, await Journey.begin(server));
  }

  /** A new session says something, and its requests get these answers. */
  async ask(words: string, ...replies: readonly FakeReply[]): Promise<void> {
    this.#earlier = this.api.requests.length;
    this.api.script(...replies);
    this.journey = await Journey.begin(this.server);
    await this.say(words);
  }

  say(words: string): Promise<unknown> {
    return this.journey.tab.say(this.journey.session, words);
  }

  /** A power cut, and the same session in the next process. */
  async crash(): Promise<void> {
    await this.server.kill();
    this.server = await this.server.restart();
    this.journey = await this.journey.join(this.server);
  }

  /** The conversation that the n-th request of this session told the model, without what the SDK adds of itself. */
  async sent(n: number): Promise<string[]> {
    return tell((await this.api.request(this.#earlier + n)).body);
  }

  get requests(): number {
    return this.api.requests.length - this.#earlier;
  }

  /** The folder that this session works in. */
  get work(): string {
    return join(this.server.dataDir, 'plugins/claude-agent/sessions', this.journey.session, 'work');
  }

  async files(): Promise<string[]> {
    return (await readdir(this.work)).sort();
  }

  async end(after = 0) {
    return (await this.journey.event('turn_end', undefined, after)).payload;
  }

  get seq(): number {
    return this.journey.events().at(-1)?.seq ?? 0;
  }

  payloads(...types: Parameters<Journey['events']>) {
    return this.journey.events(...types).map(({ payload }) => payload);
  }

  async remove(): Promise<void> {
    await this.server.remove();
    await this.api.close();
  }
}

/** A line a block: `user: hello`, `assistant: Bash {"command":"ls"}`, `result: a.txt`, `error: denied`. */
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

/** A call with an id of its own. */
export function call(name: string, input: object = {}) {
  count += 1;
  return callTool(`toolu_${process.pid}_${count}`, name, input);
}
