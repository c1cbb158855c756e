import { type ChatEvent, emptyItems, listItems, type NewEvent, reduceItems } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { RowSearch } from './row-search.ts';
import { findRows } from './rows.ts';

const say = (text: string): NewEvent => ({ type: 'assistant_done', payload: { block: 0, text } });
const result = { toolCallId: 'c', toolName: 'read', result: { output: 'A needle\n' } };
const log: readonly NewEvent[] = [
  say('A Needle in hay'),
  { type: 'tool_call', payload: { toolCallId: 'c', toolName: 'read', args: {}, authorised: { by: 'tool' } } },
  say('Only hay'),
  { type: 'tool_result', payload: result },
  say('needle'),
];

function rowsOf(from: number) {
  const events = log.map((event, n) => ({ ...event, seq: n + 1, timestamp: '' }) as ChatEvent);
  return findRows(listItems(reduceItems(emptyItems, events.slice(from)))).rows;
}

test('[WEB5] a search finds texts, outputs and names in any case, from the newest back, and wraps around', () => {
  const search = new RowSearch();
  search.look('NEEDLE', rowsOf(0));
  const numbers = [search.number];
  for (let n = 0; n < 3; n += 1) {
    search.move(-1);
    numbers.push(search.number);
  }
  expect([search.count, numbers]).toEqual([3, [3, 2, 1, 3]]);
});

test('[WEB5] rows of an older page are hits, too, and the current hit stays', () => {
  const search = new RowSearch();
  search.look('needle', rowsOf(4));
  expect([search.number, search.count]).toEqual([1, 1]);
  search.update(rowsOf(0));
  expect([search.number, search.count, search.current?.seq]).toEqual([3, 3, 5]);
});

test('[WEB5] without a word nothing is searched, and an absent word gives no hits', () => {
  const search = new RowSearch();
  for (const query of ['', '  ', 'elephant']) {
    search.look(query, rowsOf(0));
    search.move(1);
    expect([search.number, search.count, search.current]).toEqual([0, 0, undefined]);
  }
});
