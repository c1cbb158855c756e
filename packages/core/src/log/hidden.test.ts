import fc from 'fast-check';
import { expect, test } from 'vitest';
import { arbitraryLog } from '../../test/support/random-log.ts';
import { inputDraft } from '../../test/support/samples.ts';
import { World } from '../../test/support/world.ts';
import type { Audience } from '../prompt/audience.ts';
import { mayAnswer, narrowAudience, type Principal } from '../prompt/role.ts';
import { makeTranscript, renderHtml, renderMarkdown } from '../transcript/index.ts';
import type { ChatEvent } from './event.ts';
import { emptyHead, type Head, isWaiting, reduceHead } from './head.ts';
import { hideHead } from './head-hidden.ts';
import { callOf, hideEvent } from './hidden.ts';
import { emptyItems, isVisible, listItems, mergeItems, reduceItems } from './items.ts';

const isHidden = (call: string | undefined) => call !== undefined && /[02468]$/.test(call);
const hide = (log: readonly ChatEvent[]) => log.map((event) => (isHidden(callOf(event)) ? hideEvent(event) : event));

/** Ignores the order of the hidden prompts, which nobody sees. */
function comparable({ hiddenSince: _, hidden = [], ...head }: Head) {
  const unsettled = hidden.toSorted((a, b) => a.interactionId.localeCompare(b.interactionId));
  return JSON.parse(JSON.stringify({ ...head, hidden: unsettled }));
}

test('[TEAM1, EVT3] folding hidden events gives the same head as hiding the calls in the folded head', () => {
  fc.assert(
    fc.property(arbitraryLog(), (log) => {
      const whole = log.reduce(reduceHead, emptyHead);
      const folded = hide(log).reduce(reduceHead, emptyHead);
      expect(comparable(folded)).toEqual(comparable(hideHead(whole, isHidden)));
      expect([folded.seq, isWaiting(folded)]).toEqual([whole.seq, isWaiting(whole)]);
    }),
  );
});

test('[TEAM1, EVT3] the items of parts of a hidden log merge into those of the whole', () => {
  fc.assert(
    fc.property(arbitraryLog(), fc.nat(), (log, at) => {
      const events = hide(log);
      const cut = events.length === 0 ? 0 : at % events.length;
      const pieces = [events.slice(0, cut), events.slice(cut)].map((piece) => reduceItems(emptyItems, piece));
      expect(mergeItems(pieces[0]!, pieces[1]!)).toEqual(reduceItems(emptyItems, events));
    }),
  );
});

/** A call that an outsider sees until it becomes hidden. */
function hiddenLater() {
  const world = new World();
  const id = world.ask({ ...inputDraft, visibility: 'audience', audience: { principals: ['ann'] } });
  const from = world.log.findIndex(({ type }) => type === 'interaction_request');
  const log = world.log.map((event, n) => (n < from ? event : hideEvent(event)));
  return { world, id, log };
}

test('[TEAM1] a call that becomes hidden when it asks is dropped, and is one item without text', () => {
  const { log, world, id } = hiddenLater();
  const head = log.reduce(reduceHead, emptyHead);
  expect(head.calls).toMatchObject([{ toolName: '', args: null, isHidden: true }]);
  expect(head).toMatchObject({ prompts: [], hidden: [{ interactionId: id, state: 'open' }] });
  const shown = listItems(reduceItems(emptyItems, log)).filter(isVisible);
  expect(shown.map(({ kind }) => kind)).toEqual(['message', 'tool']);
  expect(shown[1]).toMatchObject({ isHidden: true });
  expect(shown[1]).not.toHaveProperty('call');
  expect(world.head.hiddenSince).toBe(log.at(-1)?.seq);
});

test('[TEAM1, RPL5] an outsider’s export states that a call is hidden, and nothing about it', () => {
  const { log } = hiddenLater();
  const about = { id: 's', title: 'Session', createdAt: '2026-03-01T09:00:00.000Z' };
  for (const render of [renderMarkdown, renderHtml]) {
    const text = [...render(makeTranscript(about, log, '2026-03-01T10:00:00.000Z'))].join('');
    expect(text).toContain('Hidden: for somebody else to answer.');
    expect(text.split('Hidden: ')).toHaveLength(2);
    expect(text).not.toContain('Where to?');
    expect(text).not.toContain('Tool call');
  }
});

test.each<[Audience | undefined, Audience | undefined, Audience | undefined]>([
  [undefined, undefined, undefined],
  [{ principals: ['Ann'] }, undefined, { principals: ['Ann'] }],
  [{ principals: ['Ann', 'Bob'] }, { principals: ['Bob', 'Cleo'] }, { principals: ['Bob'] }],
  [{ principals: ['Ann'] }, { principals: ['Bob'] }, { principals: [] }],
  [{ role: 'operator' }, { principals: ['Ann'] }, { role: 'operator', principals: ['Ann'] }],
  [{ roles: ['operator'] }, { roles: ['responder'] }, { role: 'operator' }],
  [{ roles: ['responder', 'operator'] }, { role: 'responder' }, {}],
  [{ exclude: ['requester'] }, { role: 'operator' }, { role: 'operator', exclude: ['requester'] }],
])('[TEAM1] %j and %j have the intersection %j', (a, b, common) => {
  expect(narrowAudience(a, b)).toEqual(common);
});

const names = fc.uniqueArray(fc.constantFrom('ann', 'bob', 'cleo'), { minLength: 1 });
const role = fc.constantFrom('responder' as const, 'operator' as const);
const audiences = fc.record(
  {
    role,
    roles: fc.uniqueArray(role, { minLength: 1 }),
    principals: names,
    exclude: fc.constant<['requester']>(['requester']),
  },
  { requiredKeys: [] },
);

test('[TEAM1] a principal may answer for the intersection exactly if they may answer for both audiences', () => {
  const people = fc.record({
    id: fc.constantFrom('ann', 'bob', 'cleo', 'dan'),
    role: fc.constantFrom('viewer', 'responder', 'operator'),
  });
  fc.assert(
    fc.property(audiences, audiences, people, (a, b, person) => {
      const requesters = ['ann'];
      const may = (audience: Audience | undefined) => mayAnswer(person as Principal, { audience, requesters });
      expect(may(narrowAudience(a, b))).toBe(may(a) && may(b));
    }),
  );
});
