import { expect, test } from 'vitest';
import { emptyHead, type Head } from './head.ts';
import { comparePrompts } from './head-change.ts';
import type { OpenPrompt } from './prompt-life.ts';

const prompt = (interactionId: string, state: OpenPrompt['state'] = 'open') =>
  ({ request: { interactionId }, state }) as OpenPrompt;
const headWith = (...prompts: OpenPrompt[]): Head => ({ ...emptyHead, prompts });

test('[EVT3] two heads tell which prompts opened, moved and were settled between them', () => {
  const [kept, moving, settled] = [prompt('a'), prompt('b'), prompt('c')];
  const [moved, opened] = [prompt('b', 'pending'), prompt('d')];
  const change = { before: headWith(kept, moving, settled), after: headWith(kept, moved, opened) };
  expect(comparePrompts(change)).toEqual({ opened: [opened], moved: [moved], settled: [settled] });
});

test('[EVT3] a head whose prompts are untouched tells of none, and a loaded one of all', () => {
  const head = headWith(prompt('a'), prompt('b', 'expired'));
  expect(comparePrompts({ before: head, after: { ...head, seq: 9 } })).toEqual({ opened: [], moved: [], settled: [] });
  expect(comparePrompts({ before: emptyHead, after: head })).toEqual({ opened: head.prompts, moved: [], settled: [] });
});
