import { useInFile, useInTest } from '@parleyhq/server/testing';
import { expect, test } from 'vitest';
import { describeKill, type Kill, type Phase, phases } from './kill.ts';
import { type Aftermath, type Casualty, casualties, OutsideHarness } from './outside-harness.ts';

const harness = useInFile(new OutsideHarness());

/** The commits of the permitted call. */
const commits: readonly Kill[] = [
  { event: 'tool_call', payload: { toolName: 'permit' } },
  { event: 'interaction_request', payload: { toolName: 'permit' } },
  { event: 'interaction_response', payload: { action: 'approve' } },
  { event: 'tool_result', payload: { toolName: 'permit' } },
];

/** Phases by casualty: the death of a caller alone interrupts nothing inside a commit. */
const phasesOf: Readonly<Record<Casualty, readonly Phase[]>> = {
  server: phases,
  caller: ['before commit', 'after commit'],
  both: ['before commit', 'after commit'],
};

const rows = casualties.flatMap((casualty) =>
  commits.flatMap((commit) =>
    phasesOf[casualty].map((phase) => {
      const kill = { ...commit, phase };
      return [
        `${casualty === 'both' ? 'both' : `the ${casualty}`} killed ${describeKill(kill)}`,
        kill,
        casualty,
      ] as const;
    }),
  ),
);

test.each(rows)('[ASK1, DUR1, DUR2] %s: one call, with its own answer', async (_, kill, casualty) => {
  expectOneOfEach(await harness.run(kill, casualty));
});

/** Checks that the same key is the same call, and no answer goes to another one. */
function expectOneOfEach({ session: { log }, permitted, refused, repeated, changed }: Aftermath): void {
  expect(permitted).toMatchObject({ http: 200, result: { approved: true } });
  expect(refused).toMatchObject({ http: 200, result: { approved: false } });
  expect(repeated).toEqual(permitted);
  expect(changed).toMatchObject({ http: 409, error: { code: 'idempotency_conflict' } });
  const count = (type: string, toolName: string) =>
    log.filter((event) => event.type === type && event.payload.toolName === toolName).length;
  for (const tool of ['permit', 'refuse'])
    expect([count('tool_call', tool), count('interaction_request', tool), count('tool_result', tool)]).toEqual([
      1, 1, 1,
    ]);
}

test('[ASK1, DUR1] the checker finds a key that is not stored with its call: its caller asks a second time', async () => {
  const faulty = await useInTest(new OutsideHarness({ marker: 'outside-key', replacement: '' }));
  const after = await faulty.run({ ...commits[1], phase: 'after commit' } as Kill, 'both');
  expect(() => expectOneOfEach(after)).toThrow();
});
