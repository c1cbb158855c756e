import fc from 'fast-check';
import { expect, test } from 'vitest';
import { arbitraryLog } from '../../test/support/random-log.ts';
import { World } from '../../test/support/world.ts';
import type { ChatEvent } from './event.ts';
import { emptyHead, reduceHead } from './head.ts';
import { emptyItems, type InteractionItem, reduceItems, stateOf } from './items.ts';
import { isPromptEvent, isUnsettled, type PromptLife, reducePrompt } from './prompt-life.ts';

function foldPrompts(log: readonly ChatEvent[]): PromptLife[] {
  const lives = new Map<string, PromptLife>();
  for (const event of log.filter(isPromptEvent)) {
    const { interactionId } = event.payload;
    const life = reducePrompt(lives.get(interactionId), event);
    if (life) lives.set(interactionId, life);
  }
  return [...lives.values()];
}

test('[EVT3] the head holds exactly the unsettled prompts, each in the state of its own fold', () => {
  fc.assert(
    fc.property(arbitraryLog(), (log) => {
      const { prompts } = log.reduce(reduceHead, emptyHead);
      const lives = prompts.map(({ requesters: _, ...life }) => life); // only the head stores the requesters of the turn
      expect(lives).toEqual(foldPrompts(log).filter(isUnsettled));
    }),
    { numRuns: 300 },
  );
});

test('[EVT3, RPL3] the transcript shows each prompt in the state of its own fold', () => {
  fc.assert(
    fc.property(arbitraryLog(), (log) => {
      const items = reduceItems(emptyItems, log);
      for (const { request, state } of foldPrompts(log)) {
        expect(stateOf(items.get(`interaction:${request.interactionId}`) as InteractionItem)).toBe(state);
      }
    }),
    { numRuns: 300 },
  );
});

test('[INT9] a prompt that was answered late keeps what its tool said, and its answer', () => {
  const world = new World();
  world.answer(world.askPending());
  expect(foldPrompts(world.log)).toMatchObject([
    { state: 'answered', message: 'later', response: { action: 'approve', late: true } },
  ]);
});

test('[RPL4] events of a prompt without its request fold to nothing', () => {
  const world = new World();
  world.answer(world.ask());
  expect(foldPrompts(world.log.slice(-1))).toEqual([]);
});
