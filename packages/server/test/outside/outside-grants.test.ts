import { expect, test } from 'vitest';
import { startGuardedServer } from '../support/guarded-server.ts';
import { loadPlugin } from '../support/journey.ts';

test('[TEAM2, ASK1] one’s own old yes lets no call of one’s own pass where requesters are excluded', async () => {
  const server = await startGuardedServer({
    plugins: [await loadPlugin('guarded.mjs')],
    policies: [{ tool: 'guarded', audience: { exclude: ['requester'] } }],
  });
  const quentin = await server.enter({ role: 'operator', name: 'Quentin' });
  const { token } = await server.makeToken({ role: 'operator', name: 'Paula' });
  const paula = await server.local.open({ hello: { token } });
  const session = await quentin.createSession();
  await Promise.all([quentin.follow(session), paula.follow(session)]);
  const { seq } = await quentin.say(session, '/call guarded {"x":1}');
  const prompt = await paula.prompt(session, seq);
  const always = await paula.answer(session, prompt, { action: 'approve', approvalScope: 'always' });
  expect(always).toMatchObject({ ok: true });

  const call = { type: 'call_tool', channel: 'own', callId: '1', toolName: 'guarded', args: { x: 1 } } as const;
  const begun = await paula.ask<{ sessionId: string }>(call);
  await quentin.follow(begun.sessionId);
  const asked = await quentin.prompt(begun.sessionId);
  expect(asked).toMatchObject({ requesters: [expect.any(String)] });
  expect(await paula.answer(begun.sessionId, asked, { action: 'approve' })).toMatchObject({
    error: { code: 'forbidden' },
  });

  const others = await quentin.ask<{ sessionId: string; toolCallId: string }>({ ...call, callId: '2' });
  const told = await quentin.until(({ type }) => type === 'call_result');
  expect(told).toMatchObject({ ...others, result: 'ran' }); // Paula's yes still stands for what others ask
});
