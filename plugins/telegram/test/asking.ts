import { openTab, type PersonTab } from '@parleyhq/client/process';
import { definePlugin, defineTool, type InteractionDemand, type InteractionRequest } from '@parleyhq/core';
import { hashLinkCode, linkCodeMs, makeLinkCode, makePushKeys } from '@parleyhq/server';
import { addToken, TestServer, type TestServerOptions, useInTest } from '@parleyhq/server/testing';
import { expect, onTestFinished } from 'vitest';
import telegram from '../src/index.ts';
import { BotApi, type BotMessage, botToken } from './bot-api.ts';

export const ownToken = 'parley_the-owner-of-this-server';
export const ann = { id: 1001, name: 'Ann' };
export const bob = { id: 1002, name: 'Bob' };

const asking = definePlugin({
  name: 'asking',
  tools: [
    defineTool({
      name: 'ask',
      description: 'Asks with its arguments.',
      parameters: { type: 'object' },
      handler: (args, ctx) =>
        ctx.requestInteraction({ type: 'approval', timeoutMs: null, ...args } as InteractionDemand),
    }),
  ],
});

/** A Bot API, and a server whose bot uses it, with Ann's account linked. */
export class Stage {
  readonly api: BotApi;
  readonly server: TestServer;
  readonly annsId: string;

  private constructor(api: BotApi, server: TestServer, annsId: string) {
    this.api = api;
    this.server = server;
    this.annsId = annsId;
  }

  static async begin(options: TestServerOptions = {}): Promise<Stage> {
    const api = await useInTest(new BotApi());
    const config = { token: botToken, apiRoot: api.url };
    const server = await useInTest(
      new TestServer({
        token: ownToken,
        plugins: [asking, telegram],
        durations: { notifyAfterMs: 20 },
        reach: { keys: makePushKeys(), notifiers: [{ notifier: 'telegram', config }] },
        ...options,
      }),
    );
    const { id } = await addToken(server, { role: 'operator', name: 'ann' });
    const stage = new Stage(api, server, id);
    await stage.link(ann, id);
    return stage;
  }

  /** Makes a code as `parley token link` does. */
  async makeCode(tokenId: string): Promise<string> {
    const [code, now] = [makeLinkCode(), Date.now()];
    const credential = { tokenId };
    const made = { principal: tokenId, credential, expiresAt: new Date(now + linkCodeMs).toISOString() };
    await this.server.store.links.addCode(hashLinkCode(code), made, { credential, now });
    return code;
  }

  async link(user: { readonly id: number; readonly name: string }, tokenId: string): Promise<void> {
    this.api.write(user, `/start ${await this.makeCode(tokenId)}`);
    await this.api.message(({ chat, text }) => chat === user.id && text.includes('is linked to'));
  }

  /** Asks in a session of its own. */
  async begin(demand: object): Promise<{ tab: PersonTab; prompt: InteractionRequest }> {
    const tab = await openTab(this.server, { token: ownToken });
    onTestFinished(() => tab.close());
    return { tab, prompt: await tab.ask('ask', demand) };
  }

  /** Asks, and waits for the card. */
  async ask(demand: object, user = ann): Promise<{ tab: PersonTab; prompt: InteractionRequest; card: BotMessage }> {
    const { tab, prompt } = await this.begin(demand);
    const mark = `/${prompt.interactionId}`;
    const card = await this.api.message(
      ({ chat, buttons }) => chat === user.id && buttons.some((button) => 'url' in button && button.url.endsWith(mark)),
    );
    return { tab, prompt, card };
  }

  /** Waits until a message says this. */
  async says(message: BotMessage, text: string): Promise<void> {
    await expect.poll(() => message.text, { timeout: 30_000 }).toContain(text);
  }
}

export const labelsOf = ({ buttons }: BotMessage): string[] => buttons.map(({ text }) => text);
