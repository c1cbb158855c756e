import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { AcpStage } from './acp-stage.ts';

const modes = {
  currentModeId: 'auto',
  availableModes: [
    { id: 'auto', name: 'Auto' },
    { id: 'ask', name: 'Ask first' },
    { id: 'think', name: 'Think' },
  ],
};
const entry = { modes: { default: 'ask', plan: 'think' } };

test('[ACP1] a server that starts again: the agent resumes its session', async () => {
  const stage = await AcpStage.start();
  await stage.play('say:One');
  await stage.server.restart();
  await stage.play('history');
  expect(stage.texts).toEqual(['One', 'say:One | history']);
  expect(stage.notes).toEqual(['resumed']);
});

test('[ACP1] an agent that can only load: what it repeats is not shown again', async () => {
  const stage = await AcpStage.start({ fake: { capabilities: { loadSession: true } } });
  await stage.play('say:One');
  await stage.server.restart();
  await stage.play('say:Two');
  expect(stage.texts).toEqual(['One', 'Two']);
  expect(stage.notes).toEqual(['loaded']);
});

test('[ACP1] an agent that cannot restore its session says so', async () => {
  const stage = await AcpStage.start({ fake: { capabilities: {} } });
  await stage.play('say:One');
  await stage.server.restart();
  await stage.play('say:Two');
  expect(stage.texts).toEqual([
    'One',
    '*fake could not restore its earlier conversation, and knows nothing of it.*',
    'Two',
  ]);
});

test('[ACP1] an idle process ends, and the next message resumes its session', async () => {
  const stage = await AcpStage.start({ liveMs: 50 });
  await stage.play('say:One');
  await sleep(500);
  await stage.play('say:Two');
  expect(stage.notes).toEqual(['resumed']);
});

test.each([
  ['starts', 'turn_start', 'say:Working'],
  ['does not obey', 'tool_result', 'run:ls deaf:500'],
] as const)(
  '[ACP1] a turn that is stopped while the agent %s leaves the process to the next one',
  async (_, sign, words) => {
    const stage = await AcpStage.start({ liveMs: 0 });
    const seq = await stage.tab.say(words);
    await stage.tab.event(sign);
    await stage.tab.session.cancelTurn();
    await stage.end(seq);
    const next = await stage.tab.say('ask say:Done');
    const prompt = await stage.tab.prompt();
    await sleep(100); // longer than an idle process lives
    await stage.tab.answer(prompt, { action: 'approve' });
    expect(await stage.end(next)).toMatchObject({ status: 'completed' });
    expect(stage.texts.at(-1)).toContain('Done');
  },
);

test('[ACP1] the mode of the session is set before each prompt, also after a restart', async () => {
  const stage = await AcpStage.start({ fake: { modes }, entry });
  await stage.play('mode');
  await stage.server.restart();
  await stage.play('mode');
  await stage.tab.client.setPermissionMode(stage.tab.sessionId, 'plan');
  await stage.play('mode');
  expect(stage.texts).toEqual(['*Mode: Ask first*', 'ask', 'ask', '*Mode: Think*', 'think']);
});

test('[ACP1] the title and the commands of a session are shown when they change, and are not repeated', async () => {
  const stage = await AcpStage.start();
  await stage.play('title:Fix_it commands:init_review say:One');
  await stage.server.restart();
  await stage.play('title:Fix_it commands:init say:Two');
  expect(stage.texts).toEqual([
    ...['*Title: Fix it*', '*Commands: /init, /review*', 'One'],
    ...['*Commands: /init*', 'Two'],
  ]);
});

test('[ACP1, SEC6] a title that changes all the time fills no transcript, and the next turn has the last one', async () => {
  const stage = await AcpStage.start();
  await stage.play(`${'title:A title:B '.repeat(15)}title:Last say:One`);
  expect(stage.texts).toHaveLength(21);
  await stage.play('say:Two');
  expect(stage.texts.slice(20)).toEqual(['One', '*Title: Last*', 'Two']);
});

test('[ACP1] an agent without the mode in which it asks gets no prompt', async () => {
  const stage = await AcpStage.start({ entry });
  expect(await stage.play('say:Hello')).toMatchObject({ status: 'error', error: { code: 'agent_mode' } });
  expect(stage.prompts).toEqual([]);
});

test('[ACP1, OPS5] a deleted session leaves nothing', async () => {
  const stage = await AcpStage.start();
  await stage.play('pid');
  await stage.tab.client.deleteSession(stage.tab.sessionId);
  const key = `session:fake:${stage.tab.sessionId}`;
  expect(await stage.server.store.pluginState.get('acp', undefined, key)).toBeUndefined();
});
