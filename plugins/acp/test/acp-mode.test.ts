import { join } from 'node:path';
import { openTab } from '@parleyhq/client/process';
import { TestServer, type TestServerOptions, useInTest } from '@parleyhq/server/testing';
import { expect, onTestFinished, test } from 'vitest';
import { makeAcpPlugin } from '../src/index.ts';
import { AcpStage, fakeEntry, makeFolder } from './acp-stage.ts';

const offered = [
  { id: 'ask', name: 'Ask first' },
  { id: 'yolo', name: 'Ask nobody' },
];
const fake = { modes: { currentModeId: 'ask', availableModes: offered } };
const entry = { modes: { default: 'ask', acceptEdits: 'yolo', bypassPermissions: 'yolo' } };

/** Starts a server that demands passkeys, with a session, and returns the mode that the agent works in. */
async function open(stepUp: TestServerOptions['stepUp']) {
  const token = 'parley_owner-of-the-test';
  const plugin = makeAcpPlugin({ agents: { fake: fakeEntry(join(makeFolder(), 'state.json'), { fake, entry }) } });
  const server = await useInTest(new TestServer({ defaultAgent: 'fake', plugins: [plugin], token, stepUp }));
  const tab = await openTab(server, { token });
  onTestFinished(() => tab.close());
  return async (mode: 'acceptEdits' | 'bypassPermissions') => {
    await tab.client.setPermissionMode(tab.sessionId, mode);
    const seq = await tab.say('mode');
    await tab.event('turn_end', undefined, seq);
    return tab.events('assistant_done').at(-1)?.payload.text;
  };
}

test.each([
  ['at every risk', { risk: 'low' }],
  ['of one of its kinds', { tools: ['exec*'] }],
] as const)(
  '[SIGN2] an agent goes on asking in every mode if passkeys are demanded for requests %s',
  async (_, stepUp) => {
    const modeIn = await open({ ...stepUp });
    expect(await modeIn('bypassPermissions')).toBe('ask');
    expect(await modeIn('acceptEdits')).toBe('ask');
  },
);

test('[SIGN2] a passkey that is demanded for other calls does not change the mode of an agent', async () => {
  const modeIn = await open({ risk: 'high', tools: ['deploy_*'] });
  expect(await modeIn('bypassPermissions')).toBe('yolo');
});

test.each([
  ['the one of the settings', { default: 'ask', bypassPermissions: 'yolo' }],
  ['the one in which it started', { bypassPermissions: 'yolo' }],
])('[ACP1] an agent leaves the mode in which it asks nobody for %s', async (_, modes) => {
  const stage = await AcpStage.start({ fake, entry: { modes } });
  const { tab } = stage;
  const play = async () => {
    await stage.play('mode');
    return tab.events('assistant_done').at(-1)?.payload.text;
  };
  await play();
  await tab.client.setPermissionMode(tab.sessionId, 'bypassPermissions');
  expect(await play()).toBe('yolo');
  await tab.client.setPermissionMode(tab.sessionId, 'acceptEdits');
  expect(await play()).toBe('ask');
});
