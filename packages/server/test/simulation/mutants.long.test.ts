import { expect, test } from 'vitest';
import { Bundle, type Mutation } from '../support/bundle.ts';
import type { playWorld } from './world.ts';

/** Faults of the law and of what nodes do among each other, and what the checker says of them. */
const mutants: Record<string, { readonly mutation: Mutation; readonly finds: RegExp }> = {
  'an answer that does not settle its prompt': {
    mutation: { marker: 'claim', replacement: '' },
    finds: /I2: .* responses/,
  },
  'a node that goes on with what another has taken over': {
    mutation: { marker: 'runner', replacement: '' },
    finds: /I[4-9]: /,
  },
  'what was decided on an append that failed': {
    mutation: { marker: 'lineage', replacement: '' },
    finds: /I7: .* saw/,
  },
  'a message that is written again': {
    mutation: { marker: 'written', replacement: '' },
    finds: /I6: the agent said it 2 times|I9: /,
  },
  'news that is lost where the database was away': {
    mutation: { marker: 'unheard', replacement: '' },
    finds: /I7: .* saw/,
  },
  'a step that is not recorded': {
    mutation: { marker: 'step-record', replacement: 'return Promise.resolve();' },
    finds: /I5: .* (took effect|ran) \d times/,
  },
};

/** As many worlds as it may take until each fault has shown. */
const worlds = 60;

const subject = new URL('world.ts', import.meta.url);

test.each(Object.entries(mutants))(
  '[OPS4] the simulation finds %s',
  { timeout: 120_000 },
  async (_, { mutation, finds }) => {
    const program = await Bundle.make(subject, mutation);
    try {
      const { playWorld: play } = (await import(program.file)) as { playWorld: typeof playWorld };
      const playAll = async () => {
        for (let seed = 1; seed <= worlds; seed += 1) await play(seed, 10);
      };
      await expect(playAll()).rejects.toThrow(finds);
    } finally {
      await program.remove();
    }
  },
);
