import { describe, expect, test } from 'vitest';
import { actor } from '../../test/support/samples.ts';
import { codeOf, World } from '../../test/support/world.ts';
import { findMismatch } from '../plugin/schemas.ts';
import { makeTranscript } from '../transcript/transcript.ts';
import { callbackKey } from './event.ts';
import { findCall } from './head.ts';
import { emptyItems, mergeItems, reduceItems } from './items.ts';
import { outsideAgent } from './outside.ts';

class Waiting extends World {
  override agent = outsideAgent;

  begin(): string {
    const toolCallId = this.name('call');
    const by = { ...actor('program'), role: 'asker' };
    this.accept({ type: 'call', call: { toolCallId, toolName: 'tool', args: {}, authorised: { by: 'tool' }, by } });
    return toolCallId;
  }

  settle(toolCallId: string, key: string, outcome: 'received' | 'timeout' = 'received') {
    return this.do({ type: 'settle_callback', toolCallId, key, outcome });
  }
}

describe('[PLG11] a callback', () => {
  test('is settled once, by the first outcome, and never after its call', () => {
    const world = new Waiting();
    const call = world.begin();
    expect(codeOf(world.settle(call, 'a'))).toBe('accepted');
    expect(codeOf(world.settle(call, 'a', 'timeout'))).toBe('closed');
    expect(codeOf(world.settle(call, 'b', 'timeout'))).toBe('accepted');
    expect(findCall(world.head, call)?.callbacks).toEqual([
      { key: 'a', outcome: 'received' },
      { key: 'b', outcome: 'timeout' },
    ]);
    world.accept({ type: 'return', toolCallId: call, returned: { result: null } });
    expect(codeOf(world.settle(call, 'c'))).toBe('closed');
  });

  test('belongs to its call in the transcript, whichever page comes first', () => {
    const world = new Waiting();
    const call = world.begin();
    world.settle(call, 'a');
    world.settle(call, 'b', 'timeout');
    const all = reduceItems(emptyItems, world.log);
    const [early, late] = [world.log.slice(0, 3), world.log.slice(3)];
    expect(mergeItems(reduceItems(emptyItems, early), reduceItems(emptyItems, late))).toEqual(all);
    const item = all.get(`tool:${call}`);
    expect(item?.kind === 'tool' && item.callbacks?.map(({ payload }) => payload.outcome)).toEqual([
      'received',
      'timeout',
    ]);
    const about = { id: 's', title: 'T', createdAt: '2026-03-01T09:00:00.000Z' };
    const words = JSON.stringify(makeTranscript(about, world.log, about.createdAt));
    expect(words).toContain('came from outside');
    expect(words).toContain('did not come in time');
  });

  test('has a unique key in the store, whatever its names contain', () => {
    expect(callbackKey('a:b', 'c')).not.toBe(callbackKey('a', 'b:c'));
  });

  test('an invalid value is reported with its path', async () => {
    const schema = { type: 'object', properties: { paid: { type: 'boolean' } }, required: ['paid'] };
    expect(await findMismatch(schema, { paid: true })).toBeUndefined();
    expect(await findMismatch(undefined, 1)).toBeUndefined();
    expect(await findMismatch(schema, { paid: 'yes' })).toContain('paid: ');
  });
});
