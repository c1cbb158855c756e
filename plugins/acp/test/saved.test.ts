import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChatEvent, Json, SessionId, TurnId, TurnInput } from '@parleyhq/core';
import { expect, onTestFinished, test } from 'vitest';
import { configSchema } from '../src/config.ts';
import { Conversation, type ConversationOptions } from '../src/conversation.ts';
import { OwnToolServer } from '../src/own-tools.ts';
import { fakeEntry, makeFolder } from './acp-stage.ts';

/** A store that is slow, so that two changes at once overlap. */
class SlowState {
  value: Json | undefined;

  async get(): Promise<Json | undefined> {
    await sleep(20);
    return this.value;
  }

  async set(_key: string, value: Json): Promise<void> {
    await sleep(20);
    this.value = value;
  }

  async delete(): Promise<void> {
    this.value = undefined;
  }
}

test('[ACP1] words that are noted while a turn ends are not lost', async () => {
  const folder = makeFolder();
  const { agents } = configSchema.parse({ agents: { fake: fakeEntry(join(folder, 'state.json')) } });
  const state = new SlowState();
  const log = { info() {}, warn() {}, error() {} };
  const host = { state, log } as unknown as ConversationOptions['host'];
  const config = agents.fake as ConversationOptions['config'];
  const ownTools = new OwnToolServer();
  const conversation = new Conversation('s', { agent: 'fake', config, cwd: folder, liveMs: 60_000, host, ownTools });
  onTestFinished(async () => {
    await conversation.close();
    await ownTools.close();
  });
  const message = { type: 'user_message', seq: 1, payload: { messageId: 'm', text: 'title:Tea say:One' } };
  const input: Partial<TurnInput> = {
    sessionId: 's' as SessionId,
    turnId: 't' as TurnId,
    permissionMode: 'default',
    tools: [],
    read: async () => [message as ChatEvent],
  };
  const turn = await conversation.proceed(input as TurnInput, new AbortController().signal);
  const noted: Promise<void>[] = [];
  for await (const part of turn.read())
    if (part.type === 'text' && part.text === 'One') noted.push(conversation.noteWords('Green, please.'));
  await Promise.all(noted);
  expect(state.value).toMatchObject({ facts: { Title: 'Tea' }, words: ['Green, please.'], turnId: 't' });
});
