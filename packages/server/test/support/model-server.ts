import type { StreamPart } from '@parley/core';
import { FakeMessagesApi, type FakeReply, type SentBody } from '@parley/server/testing';
import { onTestFinished } from 'vitest';
import { Journey, pluginPath } from './journey.ts';
import { ServerProcess } from './server-process.ts';

/** A server with the agent `anthropic` before a fake Messages API, and one person in one session. */
export class ModelServer {
  readonly api: FakeMessagesApi;
  server: ServerProcess;
  journey: Journey;

  private constructor(api: FakeMessagesApi, server: ServerProcess, journey: Journey) {
    this.api = api;
    this.server = server;
    this.journey = journey;
  }

  static async start(...replies: readonly FakeReply[]): Promise<ModelServer> {
    const api = await FakeMessagesApi.start();
    api.script(...replies);
    const server = await ServerProcess.start({
      plugins: [pluginPath('tools.mjs'), pluginPath('restart.mjs')],
      args: ['--no-auth', '--agent', 'anthropic', '--model', 'claude-test'],
      env: { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: api.url },
      isAlone: true,
    });
    const model = new ModelServer(api, server, await Journey.begin(server));
    onTestFinished(async () => {
      await model.server.remove();
      await api.close();
    });
    return model;
  }

  say(text: string): Promise<unknown> {
    return this.journey.tab.say(this.journey.session, text);
  }

  /** A power cut, and the same session in the next process. */
  async crash(): Promise<void> {
    await this.server.kill();
    this.server = await this.server.restart();
    this.journey = await this.journey.join(this.server);
  }

  /** What the n-th request said, the marks for the cache left out. */
  async sent(n: number): Promise<SentBody['messages']> {
    const { body } = await this.api.request(n);
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
}

export function user(...content: readonly (object | string)[]) {
  return { role: 'user', content: content.map((block) => (typeof block === 'string' ? text(block) : block)) };
}

export function text(words: string) {
  return { type: 'text', text: words };
}

export function result(id: string, content: string, more: object = {}) {
  return { type: 'tool_result', tool_use_id: id, content, ...more };
}
