import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { startKillable } from './acp-stage.ts';

test('[ACP1] killed while an agent asks: its processes end, the prompt closes as orphaned, and the next message resumes', async () => {
  const { server, state, tab } = await startKillable();
  const texts = () => tab.events('assistant_done').map(({ payload }) => ('text' in payload ? payload.text : ''));
  for (const word of ['pid', 'child']) await tab.event('turn_end', undefined, await tab.say(word));
  const pids = texts();
  expect(pids.map((pid) => existsSync(`/proc/${pid}`))).toEqual([true, true]);

  const seq = await tab.say('ask');
  const prompt = await tab.prompt();
  await server.kill();
  await expect.poll(() => pids.some((pid) => existsSync(`/proc/${pid}`))).toBe(false);
  await server.restart();
  const { payload: end } = await tab.event('turn_end', undefined, seq);
  expect(end).toMatchObject({ status: 'error', error: { code: 'agent_stopped' } });
  expect(tab.events('interaction_closed').map(({ payload }) => payload)).toMatchObject([
    { interactionId: prompt.interactionId, reason: 'orphaned' },
  ]);
  await expect(tab.answer(prompt, { action: 'approve' })).rejects.toThrow();

  await tab.event('turn_end', undefined, await tab.say('say:Back'));
  expect(texts().at(-1)).toBe('Back');
  const { notes, sessions } = JSON.parse(readFileSync(state, 'utf8'));
  expect(notes).toEqual(['resumed']);
  expect(Object.values(sessions)).toMatchObject([{ prompts: ['pid', 'child', 'ask', 'say:Back'] }]);
});
