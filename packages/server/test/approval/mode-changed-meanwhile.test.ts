import { type Plugin, StoreError } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { hold } from '../support/hold.ts';
import { Journey } from '../support/journey.ts';
import { startLocalServer, useLocalServer } from '../support/local-server.ts';

const base = { description: 'Runs.', parameters: { type: 'object' } } as const;
let judging = hold();
let judged = hold();
const plugin: Plugin = {
  name: 'modes',
  tools: [
    { ...base, name: 'gated', approval: 'always', handler: () => 'ran' },
    {
      ...base,
      name: 'slow',
      approval: async () => {
        judging.release();
        await judged.until;
        return false;
      },
      handler: () => 'ran',
    },
    {
      ...base,
      name: 'edit',
      async handler(_, ctx) {
        const { approved } = await ctx.approve({ key: 'edit', isEdit: true });
        if (!approved) return 'not allowed';
        await ctx.requestInteraction({ type: 'approval', prompt: 'And then?' });
        return 'edited';
      },
    },
  ],
};
const server = useLocalServer({ plugins: [plugin] });

const setMode = ({ tab, session }: Journey, permissionMode: 'bypassPermissions' | 'acceptEdits') =>
  tab.ask({ type: 'update_session', sessionId: session, permissionMode });

async function rowsOf({ session }: Journey, { store } = server): Promise<object[]> {
  return (await store.audit.read(session)).map(({ text }) => JSON.parse(text));
}

test("[APR3, SEC7] a call that needs a person's approval is asked about, even if the mode changed between its judgement and its start", async () => {
  [judging, judged] = [hold(), hold()];
  const journey = await Journey.begin(server);
  await journey.tab.say(journey.session, '/call gated {}\n/call slow {}');
  await judging.until;
  await setMode(journey, 'bypassPermissions');
  judged.release();
  const { payload } = await journey.event('tool_call', (event) => event.payload.toolName === 'gated');
  const prompt = await journey.tab.prompt(journey.session);
  expect(payload.authorised).toEqual({ by: 'person', interactionId: prompt.interactionId });
  await journey.answer(prompt, { action: 'approve' });
  expect((await journey.outcome(prompt)).result).toBe('ran');
  const { seq } = await journey.event('turn_end');
  expect(await rowsOf(journey)).toMatchObject([
    { event: 'session_changed', permissionMode: 'bypassPermissions' },
    { event: 'tool_call', toolName: 'slow', outcome: 'tool' },
    { event: 'interaction_response', interactionId: prompt.interactionId, outcome: 'approve' },
  ]);
  expect(await journey.run('gated')).toEqual({ result: 'ran' });
  expect(journey.events('interaction_request').filter((event) => event.seq > seq)).toEqual([]);
});

test('[SEC7, APR3] an approval that the mode lets through has a row of its own, and one only, also after a restart', async () => {
  const own = await startLocalServer({ plugins: [plugin] });
  const before = await Journey.begin(own);
  await setMode(before, 'acceptEdits');
  const prompt = await before.ask('edit');
  await own.restart();
  const journey = await before.join(own);
  await journey.answer(prompt, { action: 'approve' });
  expect((await journey.outcome(prompt)).result).toBe('edited');
  expect(await rowsOf(journey, own)).toMatchObject([
    { event: 'session_changed' },
    { event: 'tool_call', toolName: 'edit', outcome: 'tool' },
    { event: 'approval_passed', toolName: 'edit', toolCallId: prompt.toolCallId, outcome: 'mode' },
    { event: 'interaction_response', interactionId: prompt.interactionId },
  ]);
});

test('[SEC7] if that row cannot be stored, the approval does not pass', async () => {
  const own = await startLocalServer({ plugins: [plugin] });
  const journey = await Journey.begin(own);
  await setMode(journey, 'acceptEdits');
  own.store.intercept('events', 'append', (proceed, { audit = [] }) =>
    audit.some(({ event }) => event === 'approval_passed')
      ? Promise.reject(new StoreError('full', 'made to fail'))
      : proceed(),
  );
  expect(await journey.run('edit')).toMatchObject({ error: { code: 'storage_full' } });
});
