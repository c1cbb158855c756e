import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type ChatEvent, envelopeSchema, isKnownEvent, payloadSchemas } from './event.ts';
import { listItems } from './items.ts';
import { emptyState, reduce } from './session.ts';

/** Logs that earlier releases wrote, each with the state that it folds to. They are never rewritten. */
const folder = new URL('../../test/golden/', import.meta.url);
const names = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));

function read(name: string): ChatEvent[] {
  const lines = readFileSync(new URL(name, folder), 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line));
}

test('[EVT5] there are logs with every type of event: of the first release, and of the first that counts votes, takes callbacks, keeps comments and demands passkeys', () => {
  expect(names).toEqual(
    expect.arrayContaining(['v1.jsonl', 'votes.jsonl', 'callbacks.jsonl', 'comments.jsonl', 'passkeys.jsonl']),
  );
  const types = new Set(names.flatMap(read).map(({ type }) => type));
  expect(Object.keys(payloadSchemas).filter((type) => !types.has(type as ChatEvent['type']))).toEqual([]);
});

describe.each(names)('%s', (name) => {
  const log = read(name);

  test('[EVT5] folds to the state that its release saw', () => {
    const { head, items } = reduce(emptyState, log);
    const state = readFileSync(new URL(name.replace('.jsonl', '.state.json'), folder), 'utf8');
    const folded = JSON.parse(JSON.stringify({ head, items: listItems(items) }));
    expect(folded).toMatchObject(JSON.parse(state)); // a later release may add members, never drop them
  });

  test('[EVT5] is valid by the schemas of this release', () => {
    for (const event of log) {
      expect(envelopeSchema.parse(event)).toEqual(event);
      if (isKnownEvent(event)) expect(payloadSchemas[event.type].parse(event.payload)).toEqual(event.payload);
    }
  });
});
