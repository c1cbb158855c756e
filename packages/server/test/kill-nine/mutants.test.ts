import { expect, test } from 'vitest';
import type { Mutation } from './bundle.ts';
import { type Plot, Theatre } from './theatre.ts';

/** Faults that the checker must find, or it proves nothing. */
const mutants: readonly { name: string; mutations: readonly Mutation[]; plot: Plot; finds: RegExp }[] = [
  {
    name: 'a claim without its condition',
    mutations: [
      {
        file: 'core/src/head.ts',
        from: 'prompts: withoutPrompt(head.prompts, event.payload.interactionId),\n        lateAnswers',
        to: 'lateAnswers',
      },
      {
        file: 'core/src/event.ts',
        from: "case 'interaction_response':\n    case 'interaction_closed'",
        to: "case 'interaction_closed'",
      },
    ],
    plot: { tools: ['allow'], tabs: 2 },
    finds: /I2: .* 2 responses/,
  },
  {
    name: 'a reply before its commit',
    mutations: [
      {
        file: 'server/src/session/live-session.ts',
        from: 'await told;',
        to: "if (events[0]?.type !== 'interaction_response') await told;",
      },
    ],
    plot: {
      tools: ['allow'],
      tabs: 1,
      kill: { event: 'interaction_response', phase: 'inside commit' },
      patienceMs: 4000,
    },
    finds: /I3: .* acknowledged/,
  },
  {
    name: 'a step that does not record',
    mutations: [
      {
        file: 'server/src/call/steps.ts',
        from: 'return this.#call.record(key, value);',
        to: 'return Promise.resolve();',
      },
    ],
    plot: { tools: ['wizard'], tabs: 1, kill: { event: 'interaction_request', nth: 2, phase: 'after broadcast' } },
    finds: /I5: .* ran 2 times, with leave for 1/,
  },
  {
    name: 'a claim without its grant',
    mutations: [{ file: 'sqlite/event-log.ts', from: 'this.#grants.store(grant)', to: 'void grant' }],
    plot: { tools: ['consent'], tabs: 1 },
    finds: /I10: 0 grants stand/,
  },
  {
    name: 'a grant that is counted twice',
    mutations: [
      { file: 'server/src/grant/grant-cover.ts', from: 'usedGrants: [grant]', to: 'usedGrants: [grant, grant]' },
    ],
    plot: { tools: ['consent', 'covered'], tabs: 1 },
    finds: /I10: .* was used 2 times, and counts 3/,
  },
  {
    name: 'a use that a call does not note',
    mutations: [
      {
        file: 'server/src/call/plugin-approvals.ts',
        from: 'grants.take(wish, runtime.now(), noteIn(note))',
        to: 'grants.take(wish, runtime.now())',
      },
    ],
    plot: {
      tools: ['consent', 'covered'],
      tabs: 1,
      kill: { event: 'interaction_request', payload: { slot: 'fine' }, phase: 'after broadcast' },
    },
    finds: /I10: .* was used 2 times, and counts 3/,
  },
];

test.each(mutants)('[DUR1, DUR3, INT4, EVT2, APR4] $name is found out', async ({ mutations, plot, finds }) => {
  const healthy = await Theatre.open();
  await healthy.play(plot).finally(() => healthy.close());
  const sick = await Theatre.open(mutations);
  await expect(sick.play(plot).finally(() => sick.close())).rejects.toThrow(finds);
});
