import { expect, test } from 'vitest';
import { actor } from '../../test/support/samples.ts';
import { codeOf, World } from '../../test/support/world.ts';
import type { InteractionId } from '../basics/id.ts';
import type { AnswerCommand } from './command.ts';

const text = 'Stop asking, do this instead.';

/** Denies these prompts with one message. */
function denyAll(world: World, ids: readonly InteractionId[], parts: Partial<AnswerCommand> = {}, words = text) {
  const answers = ids.map((id) => ({ ...world.answerCommand(id, { action: 'deny', reason: words }), ...parts }));
  const message = { messageId: 'm', text: words, origin: 'user', from: actor() } as const;
  return world.do({ type: 'deny_all', answers, message });
}

test('[REV5] every prompt is denied with one reason, and the words are the next message, in one append', () => {
  const world = new World();
  const ids = [world.ask(), world.ask()];
  const before = world.log.length;
  expect(codeOf(denyAll(world, ids))).toBe('accepted');
  expect(world.log.slice(before).map(({ type }) => type)).toEqual([
    'message_queued',
    'interaction_response',
    'interaction_response',
  ]);
  expect(world.log.at(-1)?.payload).toMatchObject({ action: 'deny', reason: text });
  expect(world.head.prompts).toEqual([]);
  expect(world.head.queue).toMatchObject([{ messageId: 'm', text }]);
});

test('[REV5] a prompt that was settled meanwhile is left out', () => {
  const world = new World();
  const ids = [world.ask(), world.ask()] as const;
  world.answer(ids[0]);
  const before = world.log.length;
  expect(codeOf(denyAll(world, ids))).toBe('accepted');
  expect(world.log.length - before).toBe(2);
});

test('[REV5, EVT2] if no denial counts, nothing is sent', () => {
  const world = new World();
  const ids = [world.ask()];
  expect(codeOf(denyAll(world, []))).toBe('not_found');
  expect(codeOf(denyAll(world, ids, { isEnabled: false }))).toBe('interaction_disabled');
  expect(codeOf(denyAll(world, ids, { isOutsider: true }))).toBe('forbidden');
  expect(codeOf(denyAll(world, ids, {}, ' '))).toBe('invalid');
  world.agent = 'outside';
  expect(codeOf(denyAll(world, ids))).toBe('not_supported');
  expect(world.head.queue).toEqual([]);
  expect(world.head.prompts).toHaveLength(1);
});

test('[REV5, TEAM3] a denial is one vote where several decide', () => {
  const world = new World();
  const id = world.ask({ decide: { approve: 2, deny: 2 } });
  const { digest } = world.promptOf(id).request;
  expect(codeOf(denyAll(world, [id], { digest }))).toBe('accepted');
  expect(world.log.at(-1)).toMatchObject({ type: 'interaction_vote', payload: { action: 'deny', reason: text } });
  expect(world.promptOf(id).state).toBe('open');
});
