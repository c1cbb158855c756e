import type { StreamPart } from '@parleyhq/core';
import { callTool, FakeMessagesApi, type FakeReply, type SentBody } from '@parleyhq/server/testing';
import { Journey, pluginPath } from './journey.ts';
import { pluginOf } from './plugin-file.ts';
import { ServerProcess } from './server-process.ts';

/** A server with the agent `anthropic` before a fake Messages API, and one person in one session. */
export class ModelServer {
  readonly api: FakeMessagesApi;
  /** What the server was started with. */
  readonly args: readonly string[];
  server: ServerProcess;
  journey: Journey;
  /** Requests of earlier sessions. */
  #earlier = 0;

  private constructor(api: FakeMessagesApi, args: readonly string[], server: ServerProcess, journey: Journey) {
    this.api = api;
    this.args = args;
    this.server = server;
    this.journey = journey;
  }

  /**
   * @param anthropic - that part of the config file
   * @param env - what else stands in its environment
   */
  static async start(anthropic: object = {}, env: Record<string, string> = {}): Promise<ModelServer> {
    const api = await FakeMessagesApi.start();
    const config = await pluginOf(JSON.stringify({ anthropic }), 'parley.config.json');
    const args = ['--no-auth', '--agent', 'anthropic', '--model', 'claude-test', '--config', config];
    const server = await ServerProcess.start({
      plugins: [pluginPath('tools.mjs'), pluginPath('restart.mjs')],
      args,
      env: { ...env, ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: api.url },
      isAlone: true,
    });
    return new ModelServer(api, args, server, await Journey.begin(server));
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

  /** The n-th request of this session. */
  request(n: number) {
    return this.api.request(this.#earlier + n);
  }

  /** How many requests this session has made. */
  get requests(): number {
    return this.api.requests.length - this.#earlier;
  }

  /** What the n-th request said, the marks for the cache left out. */
  async sent(n: number): Promise<SentBody['messages']> {
    const { body } = await this.request(n);
    return body.messages.map(({ role, content }) => ({
      role,
      content: content.map(({ cache_control: _, ...block }) => block),
    }));
  }

  /** Waits until the tab has been sent this text of a message. */
  async streamed(kind: StreamPart['kind'], words: string): Promise<boolean> {
    let text = '';
    await this.journey.tab.until((frame) => {
      if (frame.type === 'stream' && frame.kind === kind) text = text.slice(0, frame.offset) + frame.text;
      return text === words;
    });
    return true;
  }

  /** How the turn that began after `seq` ended. */
  async end(after = 0) {
    return (await this.journey.event('turn_end', undefined, after)).payload;
  }

  /** The newest event's number: what follows is after it. */
  get seq(): number {
    return this.journey.events().at(-1)?.seq ?? 0;
  }

  /** The payloads of these events, in their order. */
  payloads(...types: Parameters<Journey['events']>) {
    return this.journey.events(...types).map(({ payload }) => payload);
  }

  async remove(): Promise<void> {
    await this.server.remove();
    await this.api.close();
  }
}

export function user(...content: readonly (object | string)[]) {
  return { role: 'user', content: content.map(toBlock) };
}

export function assistant(...content: readonly (object | string)[]) {
  return { role: 'assistant', content: content.map(toBlock) };
}

export function result(id: string, content: string, more: object = {}) {
  return { type: 'tool_result', tool_use_id: id, content, ...more };
}

/** Blocks as they were written, and as they must come back. */
export function written(text: string) {
  return { type: 'text', text, citations: null };
}

export function called(id: string, name: string, input: object = {}) {
  return { ...callTool(id, name, input), caller: { type: 'direct' } };
}

function toBlock(block: object | string): object {
  return typeof block === 'string' ? { type: 'text', text: block } : block;
}
