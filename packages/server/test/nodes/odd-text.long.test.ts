import type { ClientFrame } from '@parleyhq/core';
import { expect, test } from 'vitest';
import type { Reply, Sendable } from '../support/tab.ts';
import { startTwo } from './support/start-nodes.ts';

const codeOf = (reply: Reply) => (reply.ok ? 'ok' : reply.error.code);
const tell = { type: 'call_tool', channel: 'main', toolName: 'tell_human', args: { text: 'Done.' } } as const;

/** Names that a database cannot store unchanged. */
const odd = ['a\u0000b', '\ud800', '\udfff'];

test('[OPS4, FRM1, ASK1] names with a NUL or half of a surrogate pair are refused, so that no two become one in the database', async () => {
  const [a] = (await startTwo()).nodes;
  for (const name of odd) {
    const tab = await a.open(); // a client that sends many bad frames is closed
    const sessionId = await tab.createSession();
    const frames: readonly Sendable[] = [
      { type: 'user_message', sessionId, messageId: name, text: 'Hello.' },
      { ...tell, callId: name },
      { type: 'create_session', title: name },
      { type: 'update_session', sessionId, title: name },
      { type: 'list_sessions', query: name },
      { type: 'list_sessions', before: name },
      { type: 'revoke_grant', grantId: name },
      { type: 'withdraw_call', sessionId, toolCallId: name },
    ];
    const codes = [];
    for (const frame of frames) codes.push(`${frame.type} ${codeOf(await tab.request(frame))}`);
    expect(codes).toEqual(frames.map(({ type }) => `${type} bad_frame`));
    for (const method of ['GET', 'DELETE']) {
      const response = await fetch(`${a.httpUrl}/api/calls/${encodeURIComponent('a\u0000b')}`, { method });
      expect(response.status).toBe(400);
    }
  }
});

test('[OPS4, ASK1] a caller whose name a database cannot store can open a channel, and its title has replacement characters', async () => {
  const [a] = (await startTwo()).nodes;
  const tab = await a.open();
  const reply = await tab.request({ ...tell, callId: 'ship-1', from: { name: 'C\u0000I' } });
  expect(codeOf(reply)).toBe('ok');
  const { session } = (await tab.waitFor('session_created')) as { session: { title: string } };
  expect(session.title).toBe('C\ufffdI');
});

test('[OPS4, RPL4] a page before a number beyond any log is empty', async () => {
  const [a] = (await startTwo()).nodes;
  const tab = await a.open();
  const sessionId = await tab.createSession();
  await tab.follow(sessionId);
  await tab.say(sessionId, 'Hello.');
  await tab.event(sessionId, 'turn_end');
  const page = (before: number): Promise<{ events: object[] }> =>
    tab.ask({ type: 'read_events', sessionId, before, limit: 100 } satisfies Omit<
      ClientFrame & { type: 'read_events' },
      'requestId'
    >);
  for (const before of [2 ** 31, Number.MAX_SAFE_INTEGER]) expect((await page(before)).events).toEqual([]);
  expect((await page(tab.events(sessionId).length + 1)).events).toEqual(tab.events(sessionId));
});
