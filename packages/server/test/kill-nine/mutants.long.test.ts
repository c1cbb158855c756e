import { useInTest } from '@parleyhq/server/testing';
import { expect, test } from 'vitest';
import type { Mutation } from '../support/bundle.ts';
import { Harness, type Scenario, useHarness } from './harness.ts';

interface Mutant {
  readonly name: string;
  readonly mutation: Mutation;
  readonly scenario: Scenario;
  /** Message with which the checker reports it. */
  readonly finds: RegExp;
}

/** Faults that the checker must find: otherwise it proves nothing. */
const mutants: readonly Mutant[] = [
  {
    name: 'an answer that does not settle its prompt',
    mutation: { marker: 'claim', replacement: '' },
    scenario: { tools: ['allow'], tabs: 2 },
    finds: /I2: .* 2 responses/,
  },
  {
    name: 'a reply before its commit',
    mutation: {
      marker: 'early-reply',
      replacement: (line) =>
        `if (events[0]?.type === 'interaction_response') return Promise.resolve(performed);\n${line}`,
    },
    scenario: {
      tools: ['allow'],
      tabs: 1,
      kill: { event: 'interaction_response', phase: 'inside commit' },
      patienceMs: 4000,
    },
    finds: /I3: .* acknowledged/,
  },
  {
    name: 'a step that is not recorded',
    mutation: { marker: 'step-record', replacement: 'return Promise.resolve();' },
    scenario: { tools: ['wizard'], tabs: 1, kill: { event: 'interaction_request', nth: 2, phase: 'after broadcast' } },
    finds: /I5: .* ran 2 times, with leave for 1/,
  },
  {
    name: 'an approval that stores no grant',
    mutation: { marker: 'claim-grant', replacement: '' },
    scenario: { tools: ['consent'], tabs: 1 },
    finds: /I10: 0 grants stand/,
  },
  {
    name: 'a use of a grant that is counted twice',
    mutation: { marker: 'grant-count', replacement: (line) => line.replace('[grant]', '[grant, grant]') },
    scenario: { tools: ['consent', 'covered'], tabs: 1 },
    finds: /I10: .* was used 2 times, and counts 3/,
  },
  {
    name: 'a use of a grant that the call does not record',
    mutation: { marker: 'grant-note', replacement: (line) => line.replace(', this.#noteIn(note)', '') },
    scenario: {
      tools: ['consent', 'covered'],
      tabs: 1,
      kill: { event: 'interaction_request', payload: { slot: 'fine' }, phase: 'after broadcast' },
    },
    finds: /I10: .* was used 2 times, and counts 3/,
  },
];

const healthy = useHarness();

const rows = mutants.map((mutant) => [mutant.name, mutant] as const);
test.each(rows)('[DUR1, DUR3, INT4, EVT2, APR4] the checker finds %s', async (_, { mutation, scenario, finds }) => {
  await healthy.run({ ...scenario, patienceMs: undefined });
  const faulty = await useInTest(new Harness({ mutation }));
  await expect(faulty.run(scenario)).rejects.toThrow(finds);
});
