import { definePlugin, defineTool, type InteractionRequest } from '@parleyhq/core';
import { addToken, useInTest } from '@parleyhq/server/testing';
import { expect } from 'vitest';
import { makePushKeys } from '../../src/extensions/notifications/push-keys.ts';
import { makeAskTool } from './ask-tool.ts';
import { FakeChat } from './fake-chat.ts';
import { Journey } from './journey.ts';
import { type LocalOptions, LocalServer } from './local-server.ts';

const ownToken = 'parley_the-owner-of-this-server';
export const ann = { id: '1001', name: 'Ann B' };
export const bob = { id: '1002', name: 'Bob' };

/** A demand for consent, with all that a card shows. */
export const deploy = { title: 'Deploy?', subject: { kind: 'command', text: 'deploy v2' } };

const asking = definePlugin({
  name: 'asking',
  tools: [
    makeAskTool({ timeoutMs: null }),
    defineTool({
      name: 'wipe',
      description: 'Wipes.',
      parameters: { type: 'object' },
      approval: 'always',
      handler: () => ({}),
    }),
  ],
});

/** A server with a fake chat, and a token of Ann's, who may link her account there. */
export class ChatStage {
  readonly chat: FakeChat;
  readonly server: LocalServer;
  readonly annsToken: { readonly id: string; readonly token: string };

  private constructor(chat: FakeChat, server: LocalServer, annsToken: ChatStage['annsToken']) {
    this.chat = chat;
    this.server = server;
    this.annsToken = annsToken;
  }

  static async begin(options: LocalOptions = {}): Promise<ChatStage> {
    const chat = new FakeChat();
    const server = await useInTest(
      new LocalServer({
        token: ownToken,
        plugins: [asking, chat.plugin],
        durations: { notifyAfterMs: 20 },
        reach: { keys: makePushKeys(), notifiers: [{ notifier: 'fakechat' }] },
        ...options,
      }),
    );
    return new ChatStage(chat, server, await addToken(server, { role: 'operator', name: 'ann' }));
  }

  call(
    path: string,
    { method = 'GET', token = this.annsToken.token, body }: { method?: string; token?: string; body?: object } = {},
  ): Promise<Response> {
    const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) };
    return fetch(this.server.httpUrl + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  }

  /** Makes a code as the page does. */
  async makeCode(token = this.annsToken.token): Promise<string> {
    return (await (await this.call('/api/links', { method: 'POST', token, body: {} })).json()).code;
  }

  async linkAnn(): Promise<void> {
    const reply = await this.chat.link(await this.makeCode(), ann);
    expect(reply).toMatchObject({ isDone: true, text: expect.stringContaining('ann') });
  }

  begin(): Promise<Journey> {
    return Journey.begin(this.server, { hello: { token: ownToken } });
  }

  /** Asks in a session of its own. */
  async ask(demand: object, tool = 'ask'): Promise<{ journey: Journey; prompt: InteractionRequest }> {
    const journey = await this.begin();
    return { journey, prompt: await journey.ask(tool, demand) };
  }
}

/** Waits for the answer of a session's prompt. */
export async function answerIn({ tab, session }: Journey) {
  return (await tab.event(session, 'interaction_response')).payload;
}
