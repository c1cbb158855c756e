import { expect, test } from 'vitest';
import { World } from '../../test/support/world.ts';
import { decide } from './decide.ts';

test('[OPS4] if two processes take over a dead one, the first continues, and the dead one can do nothing if it wakes', () => {
  const world = new World();
  const [call] = world.call();
  const { toolCallId = '' } = call ?? {};
  const interactionId = world.ask({}, toolCallId);
  const deadline = Date.parse(world.promptOf(interactionId).expiresAt ?? '');
  const { owner: dead = '' } = world.head.turn ?? {};
  const taking = (owner: string) => ({ type: 'resume', owner, isRewritten: false, from: dead }) as const;
  const as = (owner: string) => ({ ...world.facts, plan: { ...world.facts.plan, owner } });
  world.accept(taking('first'));
  expect(decide(world.head, taking('second'), world.facts)).toMatchObject({ refusal: { code: 'closed' } });
  const returning = { type: 'return', toolCallId, returned: { result: 1 } } as const;
  expect(decide(world.head, returning, as(dead))).toMatchObject({ refusal: { code: 'closed' } });
  const expiring = { type: 'expire', interactionId, deadline } as const;
  expect(decide(world.head, expiring, as('any'))).toMatchObject({ kind: 'accepted' });
  expect(decide(world.head, returning, as('first'))).toMatchObject({ kind: 'accepted' });
});

test('[DUR7, OPS4] a stored message is not written again after a false failure, nor kept as interrupted text', () => {
  const world = new World();
  world.send();
  const { turnId = '' } = world.head.turn ?? {};
  const call = { toolCallId: 'c1', toolName: 't', args: 1, authorised: { by: 'tool' } } as const;
  const inner = { ...call, toolCallId: 'c2', parentToolCallId: 'c1' };
  const blocks = [{ kind: 'text', block: 0, text: 'Done.' }] as const;
  const last = { type: 'write', turnId, responseId: 'last', blocks, calls: [] } as const;
  for (const calls of [[call], [inner]]) {
    const write = { type: 'write', turnId, responseId: 'first', blocks: [], calls } as const;
    expect(world.accept(write)).toHaveLength(1);
    expect(world.accept(write)).toEqual([]);
  }
  expect(world.accept(last)).toHaveLength(1);
  expect(world.accept(last)).toEqual([]);
  const stop = { type: 'cancel', responseId: 'last', streamed: blocks } as const;
  expect(world.accept(stop).map(({ type }) => type)).not.toContain('assistant_done');
});
