import { expect, test } from 'vitest';
import { AcpStage } from './acp-stage.ts';

test('[LESS2, ACP1] a rule for commands covers no call that shows a change of a file', async () => {
  const stage = await AcpStage.start({ server: { suggestAfter: 1 } as never });
  const seq = await stage.tab.say('ask:npm_test');
  await stage.tab.answer(await stage.tab.prompt(), { action: 'approve' });
  await stage.end(seq);
  const { suggestions } = (await stage.tab.client.request({
    type: 'list_suggestions',
    sessionId: stage.tab.session.sessionId,
  } as never)) as unknown as { suggestions: { id: string; label: string }[] };
  expect(suggestions.map(({ label }) => label)).toEqual([
    'single commands that begin with `npm test`, with options known to be harmless and no path out of the folder',
  ]);
  await stage.tab.client.request({
    type: 'decide_suggestion',
    sessionId: stage.tab.session.sessionId,
    suggestionId: suggestions[0]!.id,
    action: 'allow',
  } as never);
  const next = await stage.tab.say('disguised:x');
  // a person would be shown the change of ~/.bashrc that the agent names
  const what = await Promise.race([
    stage.tab.event('interaction_request', undefined, next).then(({ payload }) => payload.subject?.kind),
    stage.end(next).then(() => 'ended unasked'),
  ]);
  expect(what).toBe('diff');
  expect(stage.notes).toHaveLength(1);
});
