import { describe, expect, test } from 'vitest';
import { actor, operator } from '../../test/support/samples.ts';
import { World } from '../../test/support/world.ts';
import {
  emptyItems,
  type InteractionItem,
  type Item,
  type Items,
  isVisible,
  listItems,
  presentationOf,
  reduceItems,
  stateOf,
} from './items.ts';

function itemsOf(world: World): Items {
  return reduceItems(emptyItems, world.log);
}

function promptIn(world: World, id: string): InteractionItem {
  const item = itemsOf(world).get(`interaction:${id}`);
  if (item?.kind !== 'interaction') throw new Error(`no prompt ${id}`);
  return item;
}

describe('a prompt in the transcript', () => {
  test('[RPL3] is open, pending, expired, answered or closed, according to the log', () => {
    const world = new World();
    const open = world.ask();
    const pending = world.askPending();
    const answered = world.ask();
    world.answer(answered);
    const closed = world.ask({ hasTimeoutHook: false });
    world.expire(closed);
    const expired = world.ask();
    world.expire(expired);
    const states = [open, pending, expired, answered, closed].map((id) => stateOf(promptIn(world, id)));
    expect(states).toEqual(['open', 'pending', 'expired', 'answered', 'closed']);
  });

  test('[RPL3] answered late is answered, and keeps what came before', () => {
    const world = new World();
    const id = world.askPending();
    world.answer(id, { by: actor('late') });
    const item = promptIn(world, id);
    expect(stateOf(item)).toBe('answered');
    expect(item.response?.payload).toMatchObject({ late: true, by: actor('late') });
    expect([item.request, item.expired, item.pending].every(Boolean)).toBe(true);
  });

  test('[WEB2] is shown in its tool unless it says otherwise', () => {
    const world = new World();
    expect(presentationOf(promptIn(world, world.ask()))).toBe('tool');
    expect(presentationOf(promptIn(world, world.ask({ presentation: 'composer' })))).toBe('composer');
    const { request: _, ...fragment } = promptIn(world, world.ask());
    expect(presentationOf(fragment)).toBe('tool');
  });

  test('[RPL3] stays where it was asked, in its turn, whoever settles it', () => {
    const world = new World();
    const id = world.ask();
    const { seq, turnId, responseId } = promptIn(world, id);
    const { toolCallId = '' } = world.requestOf(id) ?? {};
    world.append([
      { type: 'interaction_closed', payload: { toolCallId, interactionId: id, reason: 'orphaned' }, turnId: undefined },
    ]);
    expect(promptIn(world, id)).toMatchObject({ seq, turnId, responseId });
    expect([turnId, responseId]).toEqual([expect.any(String), expect.any(String)]);
  });

  test('[INT8] keeps each attempt as its own item, in its order', () => {
    const world = new World();
    const id = world.ask();
    world.answer(id);
    const last = world.requestOf(id);
    if (last) world.do({ type: 'reprompt', last, draft: last });
    const attempts = listItems(itemsOf(world)).flatMap((item) =>
      item.kind === 'interaction' ? item.request?.payload.attempt : [],
    );
    expect(attempts).toEqual([1, 2]);
  });
});

describe('a message in the transcript', () => {
  const messageIn = (world: World, messageId: string) => itemsOf(world).get(`message:${messageId}`);

  test('[INT19] is shown where it was sent, not where it was typed', () => {
    const world = new World();
    world.send();
    world.send('two', 'm2');
    const typed = messageIn(world, 'm2');
    expect(typed).toMatchObject({ seq: 3, queued: { payload: { text: 'two' } } });
    world.call();
    world.cancel();
    expect(messageIn(world, 'm2')).toMatchObject({ seq: 3, unqueued: { payload: { reason: 'returned' } } });
    const other = new World();
    other.send();
    other.send('two', 'm2');
    other.endTurn();
    const sent = other.eventsOf('user_message').at(-1);
    expect(messageIn(other, 'm2')).toMatchObject({ seq: sent?.seq, timestamp: sent?.timestamp, turnId: sent?.turnId });
  });

  test('[INT19] that was edited in the queue shows the new text at the old position', () => {
    const world = new World();
    world.send();
    world.send('two', 'm2');
    world.accept({ type: 'edit_queued', messageId: 'm2', text: 'deux', by: actor(), principal: operator });
    expect(messageIn(world, 'm2')).toMatchObject({ seq: 3, queued: { payload: { text: 'deux' } } });
  });
});

describe('what a person sees of an item', () => {
  test('[INT19] a message that was taken back is not shown', () => {
    const world = new World();
    world.send('one', 'm1');
    world.send('two', 'm2');
    world.accept({ type: 'remove_queued', messageId: 'm2' });
    const shown = [...itemsOf(world).values()].filter(isVisible).map(({ key }) => key);
    expect(shown).toEqual(['message:m1']);
  });

  test('[WEB1] a turn is shown if it did not complete, or has its cost', () => {
    const turnOf = (world: World) => [...itemsOf(world).values()].find(({ kind }) => kind === 'turn') as Item;
    const [running, completed, counted, cancelled] = [new World(), new World(), new World(), new World()];
    const worlds = [running, completed, counted, cancelled];
    for (const world of worlds) world.send();
    completed.endTurn();
    counted.endTurn({ usage: { requests: 1 } });
    cancelled.cancel();
    expect(worlds.map((world) => isVisible(turnOf(world)))).toEqual([false, false, true, true]);
  });

  test('[WEB1] the end of a turn is shown below what the turn did, and above what follows', () => {
    const world = new World();
    world.send('one', 'm1');
    world.ask();
    world.cancel();
    world.send('two', 'm2');
    const order = listItems(itemsOf(world)).map(({ kind }) => kind);
    expect(order.slice(0, 4)).toEqual(['message', 'tool', 'interaction', 'turn']);
    expect(order.indexOf('turn')).toBeLessThan(order.lastIndexOf('message'));
  });

  test('[RPL4] a fragment whose beginning is on an earlier page is not shown', () => {
    const world = new World();
    const id = world.ask();
    world.answer(id);
    world.accept({ type: 'return', toolCallId: world.requestOf(id)?.toolCallId ?? '', returned: { result: 1 } });
    const fragments = reduceItems(emptyItems, world.log.slice(-2));
    expect([...fragments.values()].map(isVisible)).toEqual([false, false]);
    expect([...itemsOf(world).values()].filter(isVisible).map(({ kind }) => kind)).toEqual([
      'message',
      'tool',
      'interaction',
    ]);
  });

  test('[EVT5] text, thoughts, changes, errors and the unknown are shown', () => {
    const world = new World();
    world.append([
      { type: 'assistant_done', payload: { block: 0, text: 'a' } },
      { type: 'thinking_done', payload: { block: 1, text: 'b' } },
      { type: 'session_changed', payload: { title: 'c', by: actor() } },
      { type: 'error', payload: { code: 'd', message: 'd' } },
      { type: 'weather', payload: {} },
    ]);
    const items = listItems(itemsOf(world));
    expect(items.map(({ kind }) => kind)).toEqual(['text', 'thinking', 'change', 'error', 'opaque']);
    expect(items.every(isVisible)).toBe(true);
  });
});
