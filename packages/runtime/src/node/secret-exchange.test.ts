import { expect, test } from 'vitest';
import { SecretExchange } from './secret-exchange.ts';

/** Makes a node that can seal for another, whose id is `to`. */
function makePair(): { from: SecretExchange; to: SecretExchange } {
  const [from, to] = [new SecretExchange(), new SecretExchange()];
  from.publicKeys.update(new Map([['to', to.publicKeys.json]]));
  return { from, to };
}

test('[INT17, OPS4] what is sealed for a node and a context opens only there and in that context', () => {
  const { from, to } = makePair();
  const value = { password: 'hunter2 ünïcode 👋' };
  const sealed = from.seal('to', value, 'prompt 1');
  expect(JSON.stringify(sealed)).not.toContain('hunter2');
  expect(to.open(sealed, 'prompt 1')).toEqual(value);
  expect(to.open(JSON.parse(JSON.stringify(sealed)), 'prompt 1')).toEqual(value);
  expect(to.open(sealed, 'prompt 2')).toBeUndefined();
  expect(new SecretExchange().open(sealed, 'prompt 1')).toBeUndefined();
  expect(from.open(sealed, 'prompt 1')).toBeUndefined();
});

test('[INT17] two seals of one secret differ entirely, and a damaged one does not open', () => {
  const { from, to } = makePair();
  const [one, two] = [from.seal('to', 'x', 'p'), from.seal('to', 'x', 'p')] as { from: string; text: string }[];
  expect(one?.text).not.toBe(two?.text);
  for (const damaged of [
    undefined,
    null,
    'text',
    {},
    { ...one, text: '' },
    { ...one, from: two?.from },
    { ...one, from: '' },
  ])
    expect(to.open(damaged, 'p')).toBeUndefined();
});

test('[OPS4] nothing is sealed for a node that is not alive', () => {
  const { from } = makePair();
  expect(from.seal('other', 'x', 'p')).toBeUndefined();
  from.publicKeys.update(new Map());
  expect(from.seal('to', 'x', 'p')).toBeUndefined();
});
