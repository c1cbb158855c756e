import { expect, test } from 'vitest';
import { pathOf, startInTest, Talk } from './test/talk.ts';

test('[TEAM1] operators.config.json: everybody sees what is published, and only operators answer', async () => {
  const args = ['--config', pathOf('operators.config.json')];
  const server = await startInTest({ plugins: [pathOf('release.ts')], token: 'parley_of-the-owner-of-releases', args });
  const words = ['--role', 'responder', '--name', 'Ann', '--json'];
  const { token } = JSON.parse((await server.run('token', 'create', ...words)).stdout);
  const talk = await Talk.begin(server, '/call publish {"version":"1.2.3"}');
  const prompt = await talk.prompt();
  const ann = await server.join(talk.tab.session.sessionId, { token });
  await ann.event('interaction_request');
  await expect(ann.answer(prompt, { action: 'approve' })).rejects.toMatchObject({ code: 'forbidden' });
  await talk.answer({ action: 'approve' }, prompt);
  expect(await talk.result()).toMatchObject({ published: '1.2.3' });
});
