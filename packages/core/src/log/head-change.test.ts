import { expect, test } from 'vitest';
import { emptyHead, type Head } from './head.ts';
import { comparePrompts } from './head-change.ts';
import type { OpenPrompt } from './prompt-life.ts';

const prompt = (interactionId: string, state: OpenPrompt['state'] = 'open') =>
  ({ request: { interactionId }, state }) as OpenPrompt;
const headWith = (...prompts: OpenPrompt[]): Head => ({ ...emptyHead, prompts });

test('[EVT3] comparing two heads shows which prompts opened, moved and were settled', () => {
  const [kept, moving, settled] = [prompt('a'), prompt('b'), prompt('c')];
  const [moved, opened] = [prompt('b', 'pending'), prompt('d')];
  const changes = comparePrompts(headWith(kept, moving, settled), headWith(kept, moved, opened));
  expect(changes).toEqual({ opened: [opened], moved: [moved], settled: [settled] });
});

test('[EVT3] unchanged prompts are not reported, and all prompts of a loaded head are', () => {
  const head = headWith(prompt('a'), prompt('b', 'expired'));
  expect(comparePrompts(head, { ...head, seq: 9 })).toEqual({ opened: [], moved: [], settled: [] });
  expect(comparePrompts(emptyHead, head)).toEqual({ opened: head.prompts, moved: [], settled: [] });
});

test('[EVT3] a changed prompt in the middle of unchanged ones is found', () => {
  const [a, b, c, d] = [prompt('a'), prompt('b'), prompt('c'), prompt('d')];
  const moved = prompt('b', 'pending');
  const compare = (before: OpenPrompt[], after: OpenPrompt[]) =>
    comparePrompts(headWith(...before), headWith(...after));
  expect(compare([a, b, c], [a, c])).toEqual({ opened: [], moved: [], settled: [b] });
  expect(compare([a, b, c], [a, moved, c])).toEqual({ opened: [], moved: [moved], settled: [] });
  expect(compare([a, b, c], [b, c, d])).toEqual({ opened: [d], moved: [], settled: [a] });
  expect(compare([a, b], [a, b, c, d])).toEqual({ opened: [c, d], moved: [], settled: [] });
});
