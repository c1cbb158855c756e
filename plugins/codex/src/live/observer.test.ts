import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  accept,
  ask,
  Between,
  type Message,
  type OnTable,
  resolved,
  running,
  settled,
  status,
  yes,
} from '../../test/observer-stage.ts';
import type { Asking } from './observer.ts';

test('[ACP5] it introduces itself, and follows every session that is loaded or becomes active', () => {
  const { observer, sent } = new Between().connect('t');
  observer.take(status('other', 'idle'));
  observer.take(status('left', 'notLoaded'));
  observer.take(status('new', 'active'));
  expect(sent.map(({ method }) => method)).toEqual([
    'initialize',
    'initialized',
    'thread/loaded/list',
    'thread/resume',
    'thread/resume',
  ]);
  expect(sent[0]).not.toHaveProperty('jsonrpc');
  expect(sent.slice(3).map(({ params }) => params)).toEqual([{ threadId: 't' }, { threadId: 'new' }]);
});

test('[ACP5] a person’s answer is sent once, under the id of the request', async () => {
  const between = new Between().connect('t');
  between.observer.take(ask(0));
  expect(between.asked[0]).toMatchObject({ thread: 't', cwd: '/p' });
  await between.decide(0, yes);
  between.observer.take(ask(0)); // repeated while the answer is on its way
  expect(between.answers).toEqual([{ id: 0, result: accept }]);
  between.observer.take(resolved(0));
  expect(between.asked[0]?.note).toBeUndefined();
});

test.each([
  ['Answered in the terminal', resolved(0)],
  [
    'The turn is over.',
    { method: 'turn/completed', params: { threadId: 't', turn: { id: 'u', status: 'interrupted' } } },
  ],
  ['Codex no longer waits.', { method: 'item/completed', params: { threadId: 't', item: { id: 'call_0' } } }],
  ['The session was closed.', { method: 'thread/closed', params: { threadId: 't' } }],
  [
    'The session was closed.',
    { method: 'thread/status/changed', params: { threadId: 't', status: { type: 'notLoaded' } } },
  ],
])('[ACP5] the card is withdrawn, "%s", and a late answer is dropped', async (note, message) => {
  const between = new Between().connect('t');
  between.observer.take(ask(0));
  between.observer.take(ask(1, { threadId: 'other', turnId: 'v', itemId: 'call_9' }));
  between.observer.take(message);
  await between.decide(0, yes);
  expect(between.asked.map((each) => each.note)).toEqual([note, undefined]);
  expect(between.answers).toEqual([]);
});

test('[ACP5] an approval of its own within a call outlives the item of the call', () => {
  const between = new Between().connect('t');
  between.observer.take(ask(0, { approvalId: 'a' }));
  between.observer.take({ method: 'item/completed', params: { threadId: 't', item: { id: 'call_0' } } });
  expect(between.asked[0]?.note).toBeUndefined();
});

test('[ACP5] what people will not decide, or did not offer, is left to the terminal', async () => {
  const between = new Between().connect('t');
  for (const id of [0, 1, 2]) between.observer.take(ask(id));
  await between.decide(0, undefined);
  await between.decide(1, { choice: 'acceptForSession' });
  await between.decide(2, {});
  expect(between.answers).toEqual([]);
});

test.each([
  ['a request that is not known', { id: 5, method: 'item/tool/call', params: { threadId: 't' } }],
  ['a token', { id: 5, method: 'account/chatgptAuthTokens/refresh', params: {} }],
  ['a request without parameters', { id: 5, method: 'item/commandExecution/requestApproval' }],
  ['an id that cannot be repeated', ask(2 ** 60)],
  ['no message', 'noise'],
])('[ACP5] %s gets no answer, not even an error', (_, message) => {
  const between = new Between().connect('t');
  between.observer.take(message);
  between.observer.take(message);
  expect(between.asked).toEqual([]);
  expect(between.answers).toEqual([]);
  expect(between.reports.length).toBeLessThanOrEqual(1);
});

test('[ACP5] a hostile message is left alone and said in one line, and the next one is read', () => {
  const between = new Between().connect('t');
  between.join('t');
  between.reports.length = 0;
  const noText = { toString: 1, valueOf: 1 };
  let deep: unknown = [];
  for (let depth = 0; depth < 20_000; depth += 1) deep = [deep];
  between.observer.take({ id: noText, result: {} });
  between.observer.take(status(noText as never, 'active'));
  between.observer.take(ask(1, { more: deep }));
  between.observer.take({ id: 2, method: 'item/\u001b[2J\nask', params: {} });
  between.observer.take(ask(3));
  expect(between.asked).toHaveLength(1);
  expect(between.answers).toEqual([]);
  expect(between.reports.map((words) => /\p{Cc}/u.test(words.trimEnd()))).toEqual([false, false, false]);
});

test('[ACP5] after a lost connection, a repeated request keeps its card, and an answer from meanwhile is sent', async () => {
  const between = new Between().connect('t');
  between.observer.take(ask(0));
  between.observer.take(ask(1));
  between.observer.closed();
  await between.decide(0, yes);
  expect(between.answers).toEqual([]);
  between.connect('t');
  between.join('t');
  between.observer.take(ask(0));
  between.observer.take(ask(1));
  await between.decide(1, { choice: 'decline' });
  expect(between.asked).toHaveLength(2);
  expect(between.answers).toEqual([
    { id: 0, result: accept },
    { id: 1, result: { decision: 'decline' } },
  ]);
});

test('[ACP5] an answer that a lost connection took along is sent again, if Codex still asks', async () => {
  const between = new Between().connect('t');
  between.observer.take(ask(0));
  await between.decide(0, yes);
  between.observer.closed();
  between.connect('t');
  between.join('t');
  between.observer.take(ask(0));
  expect(between.asked).toHaveLength(1);
  expect(between.answers).toHaveLength(2);
});

test.each([
  ['its session waits for nobody', (between: Between) => between.join('t', { flags: [] })],
  [
    'its turn is over',
    (between: Between) => between.join('t', { turns: [{ id: 'v', status: 'inProgress', items: [] }] }),
  ],
  [
    'its call has ended',
    (between: Between) => between.join('t', { turns: [running({ id: 'call_0', status: 'declined' })] }),
  ],
])('[ACP5] after a lost connection a card is withdrawn if %s', (_, join) => {
  const between = new Between().connect('t');
  between.observer.take(ask(0));
  between.observer.closed();
  between.connect('t');
  expect(between.asked[0]?.note).toBeUndefined();
  join(between);
  expect(between.asked[0]?.note).toBe('Codex no longer waits.');
});

test('[ACP5] after a restart of Codex the cards of sessions that are not loaded are withdrawn, and ids begin anew', async () => {
  const between = new Between().connect('t');
  between.observer.take(ask(0));
  between.observer.closed();
  between.connect();
  expect(between.asked[0]?.note).toBe('Codex no longer waits.');
  between.observer.take(ask(0, { turnId: 'v', command: 'rm -rf /' }));
  await between.decide(0, yes);
  expect(between.answers).toEqual([]);
});

const change = (diff: string) => ({
  method: 'item/started',
  params: {
    threadId: 't',
    item: { type: 'fileChange', id: 'call_0', changes: [{ path: '/a', kind: { type: 'add' }, diff }] },
  },
});
const askChange = { ...ask(0), method: 'item/fileChange/requestApproval' };
const choicesOf = ({ question: { asking } }: Asking) =>
  asking.kind === 'approval' ? asking.card.choices.map(({ means }) => means) : [];

test('[ACP5] a change is asked with its diff from before, or from the turns of a resumed session', () => {
  for (const prepare of [
    (between: Between) => between.observer.take(change('x')),
    (between: Between) => between.join('t', { turns: [running(change('x').params.item)] }),
  ]) {
    const between = new Between().connect('t');
    prepare(between);
    between.observer.take(askChange);
    expect(choicesOf(between.asked[0] as OnTable)).toContain('once');
  }
});

test('[ACP5] a change that becomes known, or another one, is asked anew; what was said of the old one counts for nothing', async () => {
  const between = new Between().connect('t');
  between.observer.take(askChange);
  expect(choicesOf(between.asked[0] as OnTable)).toEqual(['decline', 'cancel']);
  between.observer.take(change('x'));
  between.observer.take(change('x'));
  between.observer.take(change('y'));
  expect(between.asked.map(({ note }) => note)).toEqual([
    'The change is another one now.',
    'The change is another one now.',
    undefined,
  ]);
  await between.decide(1, yes);
  expect(between.answers).toEqual([]);
  between.observer.closed();
  between.connect('t');
  between.join('t', { turns: [running(change('y').params.item)] });
  between.observer.take(askChange);
  expect(between.asked).toHaveLength(3);
});

test('[ACP5] a session that cannot be followed is tried again while it waits, and said once', () => {
  const between = new Between().connect('t');
  const refuse = () => between.reply('thread/resume', undefined, { code: -32_001, message: 'overloaded' });
  refuse();
  expect(between.reports).toEqual([]);
  between.observer.take(status('t', 'active', ['waitingOnApproval']));
  refuse();
  between.laters.shift()?.();
  refuse();
  expect(between.reports).toEqual(['A session of Codex cannot be followed: overloaded\n']);
  between.observer.take(status('t', 'idle'));
  between.laters.shift()?.();
  expect(between.sent.filter(({ method }) => method === 'thread/resume')).toHaveLength(3);
});

/** What may happen, in any order, to three requests of two sessions. */
const events = fc.array(
  fc.oneof(
    fc.record({
      type: fc.constantFrom('ask', 'resolve', 'accept', 'decline', 'leave'),
      n: fc.integer({ min: 0, max: 2 }),
    }),
    fc.record({ type: fc.constantFrom('lose', 'endTurn', 'status'), n: fc.constant(0) }),
  ),
  { maxLength: 40 },
);

test('[ACP5] what was resolved before Codex repeated it on a new connection is not answered if it is asked anew', async () => {
  const between = new Between().connect('t');
  const request = ask(1, { threadId: 't', command: 'ls' });
  between.observer.take(request);
  between.asked.at(-1)?.decide({ choice: 'accept' });
  await settled();
  between.observer.closed();
  between.connect('t');
  between.observer.take(resolved(1, 't'));
  const before = between.answers.length;
  between.observer.take(request);
  await settled();
  expect(between.answers.slice(before)).toEqual([]);
});

test('[ACP5, ASK9] an answer from meanwhile that Codex no longer takes came too late, and the server learns it', async () => {
  const between = new Between().connect('t');
  between.observer.take(ask(0));
  between.observer.closed();
  await between.decide(0, yes); // the tab says “Allowed”
  between.connect('t');
  between.join('t', { turns: [running({ id: 'call_0', status: 'declined' })] }); // in the terminal
  expect([between.answers, between.asked[0]?.note]).toEqual([[], 'Codex no longer waits.']);
});

test('[ACP5, ASK9] so does an answer of people that is on its way when Codex takes another one', async () => {
  const between = new Between().connect('t');
  between.observer.take(ask(0));
  between.asked[0]?.decide(yes);
  between.observer.take(resolved(0));
  await settled();
  expect([between.answers, between.asked[0]?.note]).toEqual([[], 'Answered in the terminal']);
});

test('[ACP5, ASK9] an answer that was sent did not come too late, also if the connection took it along', async () => {
  const between = new Between().connect('t');
  between.observer.take(ask(0));
  await between.decide(0, yes);
  between.observer.closed();
  between.connect('t');
  between.join('t', { flags: [] });
  expect(between.asked[0]?.note).toBeUndefined();
});

test('[ACP5] in any order: an answer only of a person, for an open request, once on a connection', async () => {
  await fc.assert(
    fc.asyncProperty(events, async (happening) => {
      const between = new Between().connect('t', 's');
      const requests = [0, 1, 2].map((n) => ask(n, { threadId: n === 2 ? 's' : 't', command: `ls ${n}` }));
      const waiting = new Set<number>(); // what Codex waits for
      const onWire = new Set<number>(); // what this connection has received
      const allowed = new Map<number, string>();
      for (const { type, n } of happening) {
        const before = between.answers.length;
        const request = requests[n] as Message;
        const { threadId } = request.params as { threadId: string };
        if (type === 'ask' && !waiting.has(n)) allowed.delete(n);
        if (type === 'ask') {
          waiting.add(n);
          onWire.add(n);
          between.observer.take(request);
        } else if (type === 'resolve' && waiting.delete(n)) {
          between.observer.take(resolved(n, threadId));
        } else if (type === 'accept' || type === 'decline') {
          const last = between.asked.findLast(({ thread, question }) => thread === threadId && isOf(question, n));
          if (last && last.note === undefined && !allowed.has(n)) allowed.set(n, type);
          last?.decide({ choice: type });
        } else if (type === 'leave') {
          between.asked.findLast(({ question }) => isOf(question, n))?.decide(undefined);
        } else if (type === 'lose') {
          between.observer.closed();
          onWire.clear();
          between.connect('t', 's');
        } else if (type === 'endTurn') {
          for (const open of [0, 1]) waiting.delete(open);
          between.observer.take({ method: 'turn/completed', params: { threadId: 't', turn: { id: 'u' } } });
        } else between.observer.take(status('t', 'active'));
        await settled();
        for (const { id, result } of between.answers.slice(before)) {
          expect(waiting.has(Number(id)) && onWire.has(Number(id))).toBe(true);
          expect(result).toEqual({ decision: allowed.get(Number(id)) });
        }
        expect(between.answers.length - before).toBeLessThanOrEqual(1);
      }
    }),
    { numRuns: 300 },
  );
});

/** Whether a question is the one of the nth request: the command alone names it here. */
function isOf({ asking }: Asking['question'], n: number): boolean {
  return asking.kind === 'approval' && asking.card.subject.text.startsWith(`ls ${n}`);
}
