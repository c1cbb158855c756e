import { canonicalise, type Json } from '@parleyhq/core';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { anyArgs, anyParameters, tellingTool } from '../../core/test/support/any-tool.ts';
import { approve, playTool, Stage } from './index.ts';
import type { Prompt } from './prompt.ts';

const shownOn = ({ request }: Prompt): Json => JSON.parse(request.subject?.text ?? 'null');

test('[APR2] whatever a schema makes of arguments and edits, what runs is what was shown and approved', async () => {
  const edits = fc.array(fc.option(anyArgs), { maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(anyParameters, anyArgs, edits, async (parameters, args, typed) => {
      let approved: Json | undefined;
      const human = (prompt: Prompt) => {
        const edit = prompt.request.editable ? typed.shift() : undefined;
        approved = edit ?? shownOn(prompt);
        prompt.answer(approve(edit ? { editedArgs: edit } : {}));
        return undefined;
      };
      const { result, error } = await playTool(tellingTool(parameters), { args, human } as never).end();
      if (error) expect(error.code).toBe('invalid_args');
      else expect(canonicalise(result)).toBe(canonicalise(approved));
    }),
    { numRuns: 500 },
  );
});

test('[APR2, DUR2] a time-dependent default is shown, stays the same after a crash, and runs', async () => {
  let now = 0;
  const parameters = z.object({
    at: z.string().default(() => {
      now += 1;
      return `moment ${now}`;
    }),
  });
  const play = playTool(tellingTool(parameters));
  const prompt = await play.prompt();
  play.crash();
  await play.advance(0); // let it ask first
  prompt.approve();
  expect((await play.end()).result).toEqual(shownOn(prompt));
  expect(play.prompts).toHaveLength(1);
});

test('[APR2, DUR5] arguments that no longer parse to what was shown are asked about again after a crash', async () => {
  let now = 0;
  const next = () => {
    now += 1;
    return now;
  };
  const parameters = z.object({ at: z.string().transform((text) => `${text}${next()}`) });
  const play = playTool(tellingTool(parameters), { args: { at: '' } });
  const before = await play.prompt();
  play.crash();
  const anew = await play.prompt();
  expect([before.state, anew.state]).toEqual(['closed', 'open']);
  anew.approve();
  expect((await play.end()).result).toEqual(shownOn(anew));
});

test('[APR3] a lasting consent covers what was shown: another default is another call', async () => {
  let env = 'staging';
  const parameters = z.object({ env: z.string().default(() => env) });
  const stage = new Stage();
  const first = playTool(tellingTool(parameters), { stage, human: [approve({ scope: 'always' })] });
  expect((await first.end()).result).toEqual({ env: 'staging' });
  expect((await playTool(tellingTool(parameters), { stage, human: [] }).end()).result).toEqual({ env: 'staging' });
  env = 'production';
  const asked = await playTool(tellingTool(parameters), { stage }).prompt();
  expect(shownOn(asked)).toEqual({ env: 'production' });
});

test('[APR2] no rule or predicate of a tool changes what runs', async () => {
  const change = (args: unknown) => {
    const own = args as { path: string; at: Date };
    own.path = '/etc';
    own.at.setTime(0);
    return true;
  };
  const tool = tellingTool(z.object({ path: z.string(), at: z.int().transform((n) => new Date(n)) }), 'telling', {
    approval: change,
    describe: (args) => ({ title: String(change(args)) }),
  });
  const play = playTool(tool, { args: { path: 'a', at: 1 }, human: [approve()] });
  expect((await play.end()).result).toEqual({ path: 'a', at: new Date(1).toISOString() });
});

test('[APR2] arguments that cannot be shown never run, and the error says so', async () => {
  class Money {
    readonly #cents: number;
    constructor(cents: number) {
      this.#cents = cents;
    }
    get cents(): number {
      return this.#cents;
    }
  }
  const tool = tellingTool(z.object({ price: z.number().transform((cents) => new Money(cents)) }));
  const { error } = await playTool(tool, { args: { price: 5 }, human: [] }).end();
  expect(error).toMatchObject({
    code: 'tool_error',
    message: expect.stringContaining('an instance of Money of "price"'),
  });
});
