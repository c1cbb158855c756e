import { expect, test } from 'vitest';
import { Bundle, type Mutation } from '../support/bundle.ts';
import type { playWorld, WorldOptions } from './world.ts';

interface Mutant {
  readonly mutation: Mutation;
  /** Options that make it show soon. */
  readonly options: WorldOptions;
  /** Message with which the checker reports it. */
  readonly finds: RegExp;
}

/** Faults in the decisions, and in what nodes do among each other. */
const mutants: Record<string, Mutant> = {
  'an answer that does not settle its prompt': {
    mutation: { marker: 'claim', replacement: '' },
    options: {},
    finds: /I[24]: prompt .* (responses|was settled \d times)/,
  },
  'what was decided on an append that failed': {
    mutation: { marker: 'lineage', replacement: '' },
    options: {},
    finds: /I\d+: /,
  },
  'a message that is written again': {
    mutation: { marker: 'written', replacement: '' },
    options: { weather: { lostCalls: 0.1 } },
    finds: /I6: the agent said it 2 times|I9: /,
  },
  'news that is lost where the database was away': {
    mutation: { marker: 'unheard', replacement: '' },
    options: { weather: { lostCalls: 0.1 } },
    finds: /I[79]: /,
  },
  'a node that was thought dead, wakes, and goes on with what another runs by now': {
    mutation: { marker: 'runner', replacement: '' },
    options: { faults: ['stop'] },
    finds: /I11: .* was stored by/,
  },
  'a step that is not recorded': {
    mutation: { marker: 'step-record', replacement: 'return Promise.resolve();' },
    options: { faults: ['kill'] },
    finds: /I5: .* (took effect|ran) \d times/,
  },
};

/** Maximum number of worlds until each fault has shown. */
const worlds = 100;
const sessionsEach = 5;

const subject = new URL('world.ts', import.meta.url);

test.each(Object.entries(mutants))(
  '[OPS4] the simulation finds %s',
  { timeout: 300_000 },
  async (_, { mutation, options, finds }) => {
    const program = await Bundle.make(subject, mutation);
    try {
      const { playWorld: play } = (await import(program.file)) as { playWorld: typeof playWorld };
      const playAll = async () => {
        for (let seed = 1; seed <= worlds; seed += 1) await play(seed, sessionsEach, options);
      };
      await expect(playAll()).rejects.toThrow(finds);
    } finally {
      await program.remove();
    }
  },
);
