import fc from 'fast-check';
import { expect, test } from 'vitest';
import { arbitraryCountedLog, countLog, nothingCounted } from '../../test/support/counted-logs.ts';
import { actor, approvalDraft } from '../../test/support/samples.ts';
import { type CountedCase, caseIdsOf, countedKeys, reduceCases } from './counted-case.ts';
import { type ChatEvent, keyOf } from './event.ts';
import { hiddenCallOf } from './hidden-call.ts';

const casesOf = (log: readonly ChatEvent[]) => [...countLog(nothingCounted, log).cases.values()];

const event = (type: string, payload: object, timestamp = '2026-03-01T09:00:00.000Z') =>
  ({ seq: 1, id: 'e', sessionId: 's', v: 1, timestamp, type, payload }) as unknown as ChatEvent;

const call = (by: string, more: object = {}) =>
  event('tool_call', { toolCallId: 'c', toolName: 'run', args: { secret: 1 }, authorised: { by, ...more } });

const result = (more: object) => event('tool_result', { toolCallId: 'c', toolName: 'run', ...more });

const request = (more: object = {}) =>
  event('interaction_request', { ...approvalDraft, toolCallId: 'c', interactionId: 'c.1', ...more });

const response = (ms: number, more: object = {}) =>
  event(
    'interaction_response',
    { toolCallId: 'c', interactionId: 'c.1', answerId: 'a', action: 'approve', by: actor(), ...more },
    new Date(Date.parse('2026-03-01T09:00:00.000Z') + ms).toISOString(),
  );

test.each([
  ['grant', { grantId: 'g' }, { result: 'grant', grantId: 'g' }],
  ['policy', {}, { result: 'policy' }],
  ['mode', {}, { result: 'mode' }],
  ['reviewer', { name: 'model', reason: 'reads only' }, { result: 'reviewer' }],
])('[LESS1] a call that was allowed by a %s is a case without a prompt', (by, more, expected) => {
  const counted = { id: 'c', toolCallId: 'c', toolName: 'run', type: 'call', at: '2026-03-01T09:00:00.000Z' };
  expect(casesOf([call(by, more)])).toEqual([{ ...counted, ...expected }]);
});

test.each(['tool', 'person', 'a later release'])(
  '[LESS1] a call that was allowed by %s is no case of its own',
  (by) => {
    expect(casesOf([call(by), result({ result: null })])).toEqual([]);
  },
);

test('[LESS1] a policy that denied is a refusal, and a grant that answered the tool itself is a pass', () => {
  const denied = { error: { code: 'denied', message: 'no' } };
  expect(casesOf([call('policy'), result(denied)])).toMatchObject([{ result: 'refused' }]);
  expect(casesOf([call('grant'), result(denied)])).toMatchObject([{ result: 'grant' }]);
  const passed = { authorised: { by: 'reviewer', name: 'model', reason: 'reads only' } };
  expect(casesOf([call('tool'), result({ result: 1, ...passed })])).toMatchObject([{ result: 'reviewer' }]);
  const used = { grantId: 'g', rule: 'any arguments' };
  for (const log of [
    [call('tool'), result({ result: 1, ...used })],
    [call('grant', used), result({ result: 1 })],
    [request(), response(0, used)],
  ])
    expect(casesOf(log)).toMatchObject([{ result: 'grant', ...used }]);
});

test.each(['policy', 'mode'])(
  '[LESS1] what people denied in a call that a %s had allowed is counted by its prompt, and no refusal',
  (by) => {
    const denied = result({ error: { code: 'denied', message: 'no' } });
    const cases = casesOf([call(by), request({ slot: 'k' }), response(60_000, { action: 'deny' }), denied]);
    expect(cases.map(({ id, result }) => [id, result])).toEqual([
      ['c', by],
      ['c.1', 'denied'],
    ]);
  },
);

test('[LESS1] a call whose gate asks after all is counted by its prompt', () => {
  const cases = casesOf([call('grant', { grantId: 'g' }), request({ slot: '$gate' }), response(60_000)]);
  expect(cases).toMatchObject([
    { id: 'c', result: 'asked' },
    { id: 'c.1', result: 'approved' },
  ]);
});

test('[LESS1] an answer has its person, its time and the label of its rule, and no value', () => {
  const rules = [{ id: 'r', label: 'any arguments', key: ['secret'], scopes: ['session'] }];
  const subject = { kind: 'command', text: 'rm -rf secret' };
  const open = request({ rules, subject, args: { secret: 1 } });
  const answer = {
    ruleId: 'r',
    editedArgs: { secret: 2 },
    reason: 'secret',
    by: { ...actor(), owner: 'ann', name: 'Ann' },
  };
  const [counted] = casesOf([open, response(60_000, answer)]);
  expect(counted).toEqual({
    ...{ id: 'c.1', toolCallId: 'c', toolName: 'tool', type: 'approval', at: open.timestamp, result: 'approved' },
    ...{ by: { person: 'ann', name: 'Ann' }, ms: 60_000, isEdited: true, rule: 'any arguments' },
  });
});

test.each([
  [1999, true],
  [2000, undefined],
])('[LESS1] an approval of a hundred characters after %i ms', (ms, isUnread) => {
  const asked = request({ title: 'x'.repeat(20), subject: { kind: 'text', text: 'y'.repeat(80) } });
  const [counted] = casesOf([asked, response(ms)]);
  expect([counted?.result, counted?.ms, counted?.isUnread]).toEqual(['approved', ms, isUnread]);
});

test.each([{ action: 'deny' }, { action: 'cancel' }, { grantId: 'g' }])(
  '[LESS1] %o is not an unread approval',
  (more) => {
    expect(casesOf([request(), response(0, more)])[0]).not.toHaveProperty('isUnread');
  },
);

test('[LESS1] a prompt that nobody answered timed out or was withdrawn', () => {
  const close = (reason: string) => event('interaction_closed', { toolCallId: 'c', interactionId: 'c.1', reason });
  expect(casesOf([request(), close('timeout')])).toMatchObject([{ result: 'timeout' }]);
  expect(casesOf([request(), close('orphaned')])).toMatchObject([{ result: 'withdrawn' }]);
});

test('[LESS1] a prompt that a reviewer would have let pass is marked, and no other one', () => {
  for (const other of [{ verdict: 'ask' }, { verdict: 'pass', cause: 'fault' }])
    expect(casesOf([request({ reviewed: { name: 'model', reason: '', ...other } })])[0]).not.toHaveProperty(
      'isSampled',
    );
  const reviewed = { name: 'model', verdict: 'pass', reason: 'reads only' };
  expect(casesOf([request({ reviewed }), response(60_000, { action: 'deny' })])).toMatchObject([
    { isSampled: true, result: 'denied' },
  ]);
});

test('[LESS1] the cases of a log equal those of its parts, also if they were stored as JSON in between', () => {
  fc.assert(
    fc.property(arbitraryCountedLog(), fc.nat(100), (log, pick) => {
      const cut = pick % (log.length + 1);
      const first = countLog(nothingCounted, log.slice(0, cut));
      const stored = { cases: toStored(first.cases), hidden: toStored(first.hidden) };
      const whole = countLog(nothingCounted, log);
      const parts = countLog(stored, log.slice(cut));
      expect(toStored(parts.cases)).toEqual(toStored(whole.cases));
      expect(toStored(parts.hidden)).toEqual(toStored(whole.hidden));
    }),
  );
});

test('[LESS1] every prompt of a log is a case, and settled as the log says', () => {
  fc.assert(
    fc.property(arbitraryCountedLog(), (log) => {
      const cases = new Map(casesOf(log).map((each) => [each.id, each]));
      for (const { type, payload } of log) {
        if (type === 'interaction_request') expect(cases.get(payload.interactionId)).toBeDefined();
        if (type === 'interaction_response' || type === 'interaction_closed')
          expect(cases.get(payload.interactionId)?.result).not.toBe('open');
      }
    }),
  );
});

test('[LESS1] an event that changes anything has one of the keys that stores read, and names what it changes', () => {
  fc.assert(
    fc.property(arbitraryCountedLog(), (log) => {
      for (const each of log) {
        const asked: string[] = [];
        const known: CountedCase = { ...(casesOf([call('policy')])[0] as CountedCase), result: 'open' };
        const changed = reduceCases((id) => {
          asked.push(id);
          return known;
        }, each);
        const named = caseIdsOf(each);
        for (const id of asked) expect(named).toContain(id);
        const isChange = changed.length > 0 || hiddenCallOf(each) !== undefined;
        if (isChange) expect(countedKeys.some((start) => keyOf(each)?.startsWith(start))).toBe(true);
      }
    }),
  );
});

const toStored = <Value>(found: ReadonlyMap<string, Value>): ReadonlyMap<string, Value> =>
  new Map(JSON.parse(JSON.stringify([...found])));
