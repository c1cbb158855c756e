import type { StreamPart } from '@parleyhq/core';
import { callTool, FakeMessagesApi, type FakeReply, type SentBody } from '@parleyhq/plugin-anthropic/testing';
import { useInFile, useInTest } from '@parleyhq/server/testing';
import { Journey, pluginPath } from './journey.ts';
import { pluginOf } from './plugin-file.ts';
import { ServerProcess } from './server-process.ts';

/** A server with the agent `anthropic` in front of a fake Messages API, and one tab in one session. */
export class ModelServer {
  readonly #anthropic: object;
  readonly #env: Readonly<Record<string, string>>;
  #running:
    | { readonly api: FakeMessagesApi; readonly args: readonly string[]; readonly server: ServerProcess }
    | undefined;
  #journey: Journey | undefined;
  /** Number of requests of earlier sessions. */
  #earlier = 0;

  /**
   * @param anthropic - the section of the config file
   * @param env - more environment variables
   */
  constructor(anthropic: object = {}, env: Readonly<Record<string, string>> = {}) {
    this.#anthropic = anthropic;
    this.#env = env;
  }

  async start(): Promise<void> {
    const api = await FakeMessagesApi.start();
    const config = pluginOf(JSON.stringify({ anthropic: this.#anthropic }), 'parley.config.json');
    const args = ['--no-auth', '--agent', 'anthropic', '--model', 'claude-test', '--config', config];
    const server = new ServerProcess({
      plugins: [pluginPath('tools.mjs'), pluginPath('restart.mjs')],
      args,
      env: { ...this.#env, ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: api.url },
      isAlone: true,
    });
    this.#running = { api, args, server };
    await server.start();
    this.#journey = await Journey.begin(server);
  }

  get api(): FakeMessagesApi {
    return this.#current.api;
  }

  /** The arguments it was started with. */
  get args(): readonly string[] {
    return this.#current.args;
  }

  get server(): ServerProcess {
    return this.#current.server;
  }

  get journey(): Journey {
    if (!this.#journey) throw new Error('the server has not been started');
    return this.#journey;
  }

  /** Sends a message in a new session, whose requests get these replies. */
  async ask(words: string, ...replies: readonly FakeReply[]): Promise<void> {
    this.#earlier = this.api.requests.length;
    this.api.script(...replies);
    this.#journey = await Journey.begin(this.server);
    await this.say(words);
  }

  say(words: string): Promise<unknown> {
    return this.journey.tab.say(this.journey.session, words);
  }

  /** Kills the server and opens the same session in the next process; `args` replace its arguments. */
  async crash(args: readonly string[] = this.args): Promise<void> {
    await this.server.restart({ args });
    this.#journey = await this.journey.join(this.server);
  }

  /** Returns the n-th request of this session. */
  request(n: number) {
    return this.api.request(this.#earlier + n);
  }

  /** Number of requests of this session. */
  get requests(): number {
    return this.api.requests.length - this.#earlier;
  }

  /** Returns the messages of the n-th request, without cache marks. */
  async sent(n: number): Promise<SentBody['messages']> {
    const { body } = await this.request(n);
    return body.messages.map(({ role, content }) => ({
      role,
      content: content.map(({ cache_control: _, ...block }) => block),
    }));
  }

  /** Waits until the tab has received this text of a message. */
  async streamed(kind: StreamPart['kind'], words: string): Promise<boolean> {
    let text = '';
    await this.journey.tab.until((frame) => {
      if (frame.type === 'stream' && frame.kind === kind) text = text.slice(0, frame.offset) + frame.text;
      return text === words;
    });
    return true;
  }

  /** Waits for the end of the turn that began after `seq`. */
  async end(after = 0) {
    return (await this.journey.event('turn_end', undefined, after)).payload;
  }

  /** Seq of the newest event. */
  get seq(): number {
    return this.journey.events().at(-1)?.seq ?? 0;
  }

  /** Returns the payloads of events of these types, in order. */
  payloads(...types: Parameters<Journey['events']>) {
    return this.journey.events(...types).map(({ payload }) => payload);
  }

  async remove(): Promise<void> {
    await this.#running?.server.remove();
    await this.#running?.api.close();
  }

  get #current() {
    if (!this.#running) throw new Error('the server has not been started');
    return this.#running;
  }
}

/** Starts one server with a model for the tests of a file. */
export function useModelServer(anthropic?: object): ModelServer {
  return useInFile(new ModelServer(anthropic));
}

/** Starts the same for one test. */
export function startModelServer(anthropic?: object, env?: Readonly<Record<string, string>>): Promise<ModelServer> {
  return useInTest(new ModelServer(anthropic, env));
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

/** Makes a block as the model wrote it, and as it must be sent back. */
export function written(text: string) {
  return { type: 'text', text, citations: null };
}

export function called(id: string, name: string, input: object = {}) {
  return { ...callTool(id, name, input), caller: { type: 'direct' } };
}

function toBlock(block: object | string): object {
  return typeof block === 'string' ? { type: 'text', text: block } : block;
}
