import { expect, test } from 'vitest';
import { actor, operator } from '../../test/support/samples.ts';
import { World } from '../../test/support/world.ts';
import type { Subject } from '../prompt/interaction.ts';
import { compareVersions, placeAnnotations, threadOf } from '../prompt/version.ts';
import { findEarlierVersion } from './earlier-version.ts';
import { emptyItems, type InteractionItem, reduceItems } from './items.ts';

const plan = (text: string, thread?: string): Subject => ({ kind: 'markdown', text, ...(thread && { thread }) });

/** Asks about the subjects in turn, and denies all but the last with these annotations. */
function ask(subjects: readonly Subject[], annotations: object[] = [], action: 'approve' | 'deny' = 'deny') {
  const world = new World();
  let id = '';
  for (const [at, subject] of subjects.entries()) {
    id = world.ask({ subject });
    const { digest } = world.promptOf(id).request;
    if (at < subjects.length - 1) world.answer(id, { action, digest, annotations: annotations as never });
  }
  const items = reduceItems(emptyItems, world.log);
  const item = [...items.values()].find((each) => each.kind === 'interaction' && each.interactionId === id);
  const found = findEarlierVersion(items, item as InteractionItem);
  if (!found) return undefined;
  const compared = compareVersions(found.subject, subjects.at(-1) as Subject);
  const said = found.denials.flatMap(({ annotations = [] }) => annotations);
  return { ...found, compared, annotations: placeAnnotations(said, compared) };
}

test('[REV3] a plan is compared with the one that was refused before, and its comments are at the lines that are left', () => {
  const remarks = [
    { lines: [1, 1], quote: '1. Build', comment: 'Fine.' },
    { lines: [2, 2], quote: '2. Deploy', comment: 'Not on a Friday.' },
    { lines: [2, 3], quote: '2. Deploy\n3. Tell', comment: 'In this order?' },
  ];
  const found = ask([plan('1. Build\n2. Deploy\n3. Tell'), plan('0. Test\n1. Build\n3. Tell')], remarks);
  expect(found?.compared.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
    'added 0. Test',
    'same 1. Build',
    'removed 2. Deploy',
    'same 3. Tell',
  ]);
  expect(found?.annotations.map(({ lines, isChanged }) => ({ lines, isChanged }))).toEqual([
    { lines: [2, 2], isChanged: false },
    { lines: undefined, isChanged: true },
    { lines: [3, 3], isChanged: true },
  ]);
});

test('[REV3] lines between which others came are changed', () => {
  const remark = { lines: [1, 2], quote: 'a\nb', comment: 'Together.' };
  expect(ask([plan('a\nb'), plan('a\nx\nb')], [remark])?.annotations).toMatchObject([
    { lines: [1, 3], isChanged: true },
  ]);
});

test('[REV3] only a refused version of the same thread counts, and the newest of them', () => {
  expect(ask([plan('a'), plan('b')], [], 'approve')).toBeUndefined();
  expect(ask([plan('a', 'one'), plan('b', 'two')])).toBeUndefined();
  expect(ask([plan('b')])).toBeUndefined();
  const found = ask([plan('a', 'one'), plan('b', 'one'), plan('x', 'two'), plan('c', 'one')]);
  expect(found?.compared[0]).toMatchObject({ kind: 'removed', text: 'b' });
});

test('[REV3] by default a diff is a version of its file, and a text with markup of what its tool asks in the same words', () => {
  const of = (subject?: Subject, title = 'Carry out this plan?') =>
    threadOf({ subject, title, toolName: 'permission' });
  expect(of({ kind: 'diff', text: '--- /a\n+++ /a\n-x\n+y' })).toBe('file:/a');
  expect(of({ kind: 'diff', text: '--- /a\t2026-01-01\n+++ /a\t2026-01-02\n-x' })).toBe('file:/a');
  expect(of({ kind: 'diff', text: '--- /a\n+++ /dev/null\n-x\n--- /dev/null\n+++ /b\n+y' })).toBe('file:/a\n/b');
  expect(of({ kind: 'diff', text: '-x\n+y' })).toBeUndefined();
  expect(of(plan('x'))).toBe(of(plan('y')));
  expect(of(plan('x'), 'Rename the host?')).not.toBe(of(plan('x'), 'Buy milk?'));
  expect(threadOf({ subject: plan('x'), toolName: 'a' })).not.toBe(threadOf({ subject: plan('x'), toolName: 'b' }));
  expect(of(plan('x', 'mine'), 'Rename the host?')).toBe(of(plan('y', 'mine'), 'Buy milk?'));
  expect(of({ kind: 'command', text: 'ls' })).toBeUndefined();
  expect(of()).toBeUndefined();
});

test('[REV3] unrelated questions of one tool are not compared, unless their caller says that they are one thread', () => {
  const later = (thread?: string) => {
    const world = new World();
    const denied = world.ask({ title: 'Buy milk?', subject: plan('2 litres', thread) });
    world.answer(denied, { action: 'deny' });
    const id = world.ask({ title: 'Rename the host?', subject: plan('a to b', thread) });
    const items = reduceItems(emptyItems, world.log);
    return findEarlierVersion(items, items.get(`interaction:${id}`) as InteractionItem);
  };
  expect(later()).toBeUndefined();
  expect(later('chores')).toMatchObject({ subject: { text: '2 litres' } });
});

test('[REV3, SEC6] the files of a diff are found in linear time', () => {
  const text = `--- ${'x'.repeat(2_000_000)}\n`; // in quadratic time it would not end before the test is given up
  expect(threadOf({ subject: { kind: 'diff', text }, toolName: 'permission' })).toBeUndefined();
});

test('[REV3, TEAM3] where votes are counted, everybody who denied is named with their words', () => {
  const world = new World();
  const subject = plan('a');
  const first = world.ask({ subject, decide: { approve: 2, deny: 2 } });
  const { digest } = world.promptOf(first).request;
  const say = (principal: string, part: object) =>
    world.answer(first, {
      action: 'deny',
      digest,
      by: { ...actor(), principal },
      principal: { ...operator, id: principal },
      ...part,
    });
  say('ann', { annotations: [{ lines: [1, 1], quote: 'a', comment: 'No.' }] });
  say('bob', { reason: 'Neither.' });
  const later = world.ask({ subject: plan('b') });
  const items = reduceItems(emptyItems, world.log);
  const item = items.get(`interaction:${later}`) as InteractionItem;
  expect(findEarlierVersion(items, item)?.denials).toMatchObject([
    { by: { principal: 'ann' }, annotations: [{ comment: 'No.' }] },
    { by: { principal: 'bob' }, reason: 'Neither.' },
  ]);
});
