import type { Plugin } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { Journey } from '../support/journey.ts';
import { useLocalServer } from '../support/local-server.ts';

const never = () => new Promise<never>(() => undefined);
const base = { description: 'Hangs.', parameters: { type: 'object' }, timeoutMs: 50 } as const;
let ran = 0;
const handler = () => {
  ran += 1;
};
const plugin: Plugin = {
  name: 'slow',
  covers: () => false,
  tools: [
    { ...base, name: 'undecided', approval: never, handler },
    { ...base, name: 'unspoken', approval: 'always', describe: never, handler },
    { ...base, name: 'unruly', approval: 'always', rules: never, handler },
  ],
};
const server = useLocalServer({ plugins: [plugin] });

test.each([
  ['undecided', 'approval'],
  ['unspoken', 'describe'],
  ['unruly', 'rules'],
])(
  '[INT12, APR3] a tool that never finishes describing its call ends it, and does not run: %s',
  async (tool, member) => {
    const journey = await Journey.begin(server);
    expect(await journey.run(tool)).toEqual({
      error: { code: 'handler_timeout', message: `The tool's "${member}" took longer than 50 ms.` },
    });
    expect((await journey.event('turn_end')).payload.status).toBe('completed');
    expect(ran).toBe(0);
  },
);
