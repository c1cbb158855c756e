import { expect, test } from 'vitest';
import { Random } from '../support/random.ts';
import { useServer } from '../support/use-server.ts';

/** `npm run test:soak` raises it. */
const frameCount = Number(process.env.PARLEY_FRAMES ?? 5000);
const seed = Number(process.env.PARLEY_SEED ?? Date.now() % 1_000_000);

const server = useServer();

const samples = (sessionId: string): readonly object[] => [
  { type: 'hello', protocol: 1 },
  { type: 'subscribe', sessionId, cursor: { epoch: 'e', seq: 1 }, tail: 3 },
  { type: 'unsubscribe', sessionId },
  { type: 'read_events', sessionId, before: 10, limit: 5 },
  { type: 'list_sessions', query: '%', limit: 5, before: '2030' },
  { type: 'create_session', title: 't', agent: 'demo', permissionMode: 'default' },
  { type: 'update_session', sessionId, title: 'x', agent: 'demo' },
  { type: 'user_message', sessionId, messageId: 'm', text: '/call ask_user {"question":"?"}' },
  { type: 'comment_interaction', sessionId, interactionId: 'i', commentId: 'k', text: 'x' },
  { type: 'deny_open', sessionId, messageId: 'd', text: 'x' },
  { type: 'edit_queued', sessionId, messageId: 'm', text: 'x' },
  { type: 'remove_queued', sessionId, messageId: 'm' },
  { type: 'cancel_turn', sessionId },
  {
    type: 'tool_interaction_response',
    sessionId,
    callId: 'c',
    interactionId: 'c.1',
    action: 'submit',
    input: { a: 1 },
  },
  { type: 'set_interaction_mode', enabled: true },
  { type: 'draft', sessionId, interactionId: 'c.1', values: { a: 'b' } },
  { type: 'list_grants' },
  { type: 'list_suggestions', sessionId, interactionId: 'c.1' },
  { type: 'decide_suggestion', sessionId, suggestionId: 's', action: 'allow', approvalScope: 'session' },
  { type: 'revoke_grant', grantId: 'g' },
  { type: 'remove_reviewer', sessionId, toolName: 't', scope: 'session' },
  { type: 'ping' },
];

const oddities: readonly unknown[] = [
  null,
  true,
  -1,
  0,
  1e308,
  1.5,
  '',
  '__proto__',
  'constructor',
  '../../..',
  '\u0000',
  '\ud800',
  'x'.repeat(5000),
  [],
  [[[]]],
  {},
  { __proto__: null, toString: 1 },
  JSON.parse('{"__proto__":{"admin":true}}'),
  Number.MAX_SAFE_INTEGER,
];

/** Returns a frame with random faults, or its text with some. */
function mutate(frame: object, random: Random): string {
  const changed: Record<string, unknown> = { ...frame, requestId: `r${random.below(100)}` };
  for (let changes = random.below(3); changes >= 0; changes -= 1) {
    const key = random.pick([...Object.keys(changed), 'extra', 'type', 'requestId']);
    if (random.below(4) === 0) delete changed[key];
    else changed[key] = random.pick(oddities);
  }
  const text = JSON.stringify(changed);
  switch (random.below(6)) {
    case 0:
      return text.slice(0, random.below(text.length));
    case 1:
      return text.replace(/[{}":,]/g, (mark) => (random.below(10) ? mark : random.pick(['{', '"', '\\', ' '])));
    default:
      return text;
  }
}

const title = `[FRM1, SEC6] ${frameCount} broken frames break nothing: every connection is answered or closed with its code`;
test(title, { timeout: 60_000 + 20 * frameCount }, async () => {
  const random = new Random(seed);
  const owner = await server.open();
  const session = await owner.createSession();
  const codes = new Set<number>();
  let tab = await server.open();
  for (let sent = 0; sent < frameCount; ) {
    for (let burst = 0; burst < 25 && sent < frameCount; burst += 1, sent += 1) {
      tab.sendText(mutate(random.pick(samples(session)), random));
    }
    tab.frames.length = 0;
    tab.send({ type: 'ping' });
    await Promise.race([tab.closed(), tab.until((frame) => frame.type === 'pong')]);
    expect(
      tab.frames.filter((frame) => JSON.stringify(frame).includes('"internal"')),
      `PARLEY_SEED=${seed}`,
    ).toEqual([]);
    if (tab.closeCode !== undefined) {
      codes.add(tab.closeCode);
      tab = await server.open();
    }
  }
  expect([...codes], `PARLEY_SEED=${seed}`).toEqual([4429]);
  expect((await fetch(`${server.httpUrl}/healthz`)).status).toBe(200);
  expect(server.stderr.join('')).not.toContain('a frame could not be handled');
  await owner.ask({ type: 'list_sessions' });
});
