import { defineTool, ToolError } from '@parleyhq/core';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { approve, cancel, deny, playTool, Stage, submit } from './index.ts';

const name = z.object({ name: z.string().min(2) });

const greet = defineTool({
  name: 'greet',
  description: 'Greets.',
  parameters: { greeting: z.string().default('Hello') },
  async handler({ greeting }, ctx) {
    const { name: whom } = await ctx.ask('who', name, {
      title: 'Who?',
      validate: ({ name: given }) => (given === 'Bob' ? { name: 'Not Bob.' } : undefined),
    });
    return `${greeting}, ${whom}!`;
  },
});

const pay = defineTool({
  name: 'pay',
  description: 'Pays once.',
  parameters: { amount: z.number() },
  async handler({ amount }, ctx) {
    const id = ctx.uuid();
    if (!(await ctx.confirm('pay', `Pay ${amount}?`))) throw ctx.error('denied', 'Not paid.');
    const { at } = await ctx.step('transfer', () => ({ at: ctx.now() }));
    ctx.progress('paid');
    const told = await ctx.confirm('tell', 'Tell the team?');
    return { id, at, told };
  },
});

describe('[PLG5] a tool is played with', () => {
  test('a scripted person, who is asked until the values are valid', async () => {
    const play = playTool(greet, {
      args: { greeting: 'Hi' },
      human: [submit({ name: 'Bob' }), submit({ name: 'Ada' })],
    });
    expect(await play.end()).toEqual({ result: 'Hi, Ada!' });
    expect(play.prompts.map(({ request }) => request.fieldErrors)).toEqual([undefined, { name: 'Not Bob.' }]);
    expect(play.prompts[1]?.initialValues).toEqual({ name: 'Bob' });
    expect(play.prompts[1]?.request).toMatchObject({ attempt: 2, replaces: play.prompts[0]?.request.interactionId });
  });

  test('a person who is a function of the prompt', async () => {
    const play = playTool(greet, { human: ({ fields }) => submit({ [fields[0]?.id ?? '']: 'Ada' }) });
    expect(await play.end()).toEqual({ result: 'Hello, Ada!' });
  });

  test('the test as the person, which gets an error for what a server would refuse', async () => {
    const play = playTool(greet);
    const prompt = await play.prompt();
    expect(prompt.title).toBe('Who?');
    expect(prompt.check({ action: 'submit', input: { name: 'A' } })).toEqual({
      name: 'Must have at least 2 characters.',
    });
    expect(() => prompt.submit({ name: 'A' })).toThrow('The prompt "Who?": name: Must have at least 2 characters.');
    prompt.submit({ name: 'Ada' });
    expect(await play.end()).toEqual({ result: 'Hello, Ada!' });
    expect(() => prompt.cancel()).toThrow('it is answered already');
  });

  test('a clock: silence is not consent', async () => {
    const play = playTool(pay, { args: { amount: 5 } });
    await play.prompt();
    await play.advance(299_999);
    expect(play.prompts[0]?.state).toBe('open');
    await play.advance(1);
    expect(await play.end()).toEqual({ error: { code: 'denied', message: 'Not paid.' } });
    const scripted = playTool(pay, { args: { amount: 5 }, human: ['timeout'] });
    expect(await scripted.end()).toMatchObject({ error: { code: 'denied' } });
  });

  test('a time limit, which does not count waits for people and programs [PLG4]', async () => {
    const slow = defineTool({
      name: 'slow',
      description: 'Asks, then takes too long.',
      parameters: {},
      timeoutMs: 1_000,
      async handler(_, ctx) {
        await ctx.callback('word', { ttlMs: 7_200_000 });
        await ctx.confirm('go', 'Go?');
        await ctx.waitFor('word', undefined, { timeoutMs: 3_600_000 }).catch(() => undefined);
        await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
      },
    });
    const play = playTool(slow, { human: ['timeout'] });
    await play.waiting('word');
    await play.advance(3_600_000);
    await play.advance(999);
    expect(await Promise.race([play.end(), 'it still runs'])).toBe('it still runs');
    await play.advance(1);
    const message = 'The tool took longer than 1000 ms of its own time.';
    expect(await play.end()).toEqual({ error: { code: 'tool_timeout', message } });
  });

  test('a wait for a program that is abandoned, after which callbacks are refused [PLG11]', async () => {
    const fickle = defineTool({
      name: 'fickle',
      description: 'Waits for a word until somebody says otherwise.',
      parameters: {},
      async handler(_, ctx) {
        await ctx.callback('word');
        const given = new AbortController();
        const word = ctx.waitFor('word', undefined, { signal: given.signal });
        if (await ctx.confirm('go', 'Go on without?')) given.abort(new ToolError('withdrawn', 'Not needed.'));
        return word;
      },
    });
    const play = playTool(fickle, { human: [approve()] });
    expect(await play.end()).toEqual({ error: { code: 'withdrawn', message: 'Not needed.' } });
    await expect(play.post('word', 'late')).rejects.toThrow('410');
  });

  test('a time limit for each hook, which does not count towards the tool’s [INT12]', async () => {
    const stuck = defineTool({
      name: 'stuck',
      description: 'Its hook never ends.',
      parameters: {},
      handler: (_, ctx) =>
        ctx.requestInteraction({ type: 'approval', prompt: 'Go?', onResponse: () => new Promise(() => undefined) }),
    });
    const play = playTool(stuck);
    (await play.prompt()).approve();
    await play.advance(600_000);
    const message = 'The hook took longer than 600000 ms.';
    expect(await play.end()).toEqual({ error: { code: 'handler_timeout', message } });
  });

  test('crashes: answers, steps, ids and the time are restored, and effects happen once', async () => {
    const human = ['crash', approve(), 'crash', approve()] as const;
    const play = playTool(pay, { args: { amount: 5 }, human });
    expect(await play.end()).toEqual({
      result: { id: '00000000-0000-4000-8000-000000000002', at: play.stage.now, told: true },
    });
    expect(play.prompts).toHaveLength(2);
    expect(play.effects).toEqual({ transfer: 1 });
  });

  test('a crash in the middle of a step: a person is asked whether to run it again', async () => {
    let isFirst = true;
    const risky = defineTool({
      name: 'risky',
      description: 'Dies.',
      parameters: {},
      handler: (_, ctx) =>
        ctx.step('work', () => {
          if (isFirst) play.crash();
          isFirst = false;
          return 'done';
        }),
    });
    const play = playTool(risky, { human: [approve()] });
    expect(await play.end()).toEqual({ result: 'done' });
    expect(play.prompts[0]?.title).toBe('The server stopped while risky was running');
    expect(play.effects).toEqual({ work: 2 });
  });

  test('a crash with durable: false and with onInterrupted: fail', async () => {
    const ends = async (more: object) => {
      const play = playTool({ ...pay, ...more }, { args: { amount: 1 } });
      await play.prompt();
      play.crash();
      return play;
    };
    expect(await (await ends({ durable: false })).end()).toMatchObject({ error: { code: 'orphaned' } });
    const failing = await ends({ onInterrupted: 'fail' });
    failing.prompts[0]?.deny();
    expect(await failing.end()).toMatchObject({ error: { code: 'denied' } });
  });

  test('late answers, which become messages', async () => {
    const survey = defineTool({
      name: 'survey',
      description: 'Asks.',
      parameters: {},
      handler: (_, ctx) =>
        ctx.requestInteraction({
          type: 'input',
          title: 'How was it?',
          inputSchema: { type: 'form', fields: [{ id: 'rating', type: 'number', label: 'Rating' }] },
          onTimeout: () => ({ pending: { message: 'Later.' } }),
        }),
    });
    const play = playTool(survey, { human: ['timeout'] });
    expect(await play.end()).toEqual({ result: { pending: true, queued: true, message: 'Later.' } });
    play.prompts[0]?.submit({ rating: 5 });
    expect(await play.message()).toBe('How was it?\nRating: 5');
    const late = playTool(survey, { human: ['timeout'] });
    await late.end();
    await late.advance(7 * 24 * 3_600_000);
    expect(() => late.prompts[0]?.submit({ rating: 5 })).toThrow('it is closed already');
  });

  test('several calls at once, on one stage: one clock, one state, one person’s grants', async () => {
    const stage = new Stage();
    const count = defineTool({
      name: 'count',
      description: 'Counts.',
      parameters: { by: z.number() },
      async handler({ by }, ctx) {
        const approval = await ctx.approve({ key: ['count', by] });
        if (!approval.approved) throw ctx.error(approval.code, approval.reason);
        await ctx.state.set('sum', Number((await ctx.state.get('sum')) ?? 0) + by);
        return ctx.state.get('sum');
      },
    });
    const first = playTool(count, { stage, args: { by: 1 } });
    const second = playTool(count, { stage, args: { by: 2 } });
    (await second.prompt()).approve({ scope: 'session' });
    expect(await second.end()).toEqual({ result: 2 });
    (await first.prompt()).deny('No.');
    expect(await first.end()).toEqual({ error: { code: 'denied', message: 'No.' } });
    expect(await playTool(count, { stage, args: { by: 2 }, human: [] }).end()).toEqual({ result: 4 });
    expect([...stage.grants.values()]).toEqual(['session']);
  });

  test('audiences and votes: people who may not answer are refused', async () => {
    const release = defineTool({
      name: 'release',
      description: 'Releases.',
      parameters: {},
      async handler(_, ctx) {
        const { approved, code } = {
          code: '',
          ...(await ctx.approve({ key: 'r', audience: { exclude: ['requester'] }, decide: { approve: 2 } })),
        };
        return approved ? 'out' : code;
      },
    });
    const bob = { id: 'bob', name: 'Bob', role: 'responder' } as const;
    const play = playTool(release);
    const prompt = await play.prompt();
    expect(() => prompt.approve()).toThrow('Ann (operator) may not answer this');
    expect(() => prompt.approve({ by: { id: 'eve', role: 'viewer' } })).toThrow('may not answer this');
    prompt.approve({ by: bob });
    expect(prompt.state).toBe('open');
    prompt.approve({ by: { ...bob, id: 'cem' } });
    expect(await play.end()).toEqual({ result: 'out' });
  });

  test('the gate, edits, and the arguments that a server would parse', async () => {
    const gated = defineTool({
      name: 'gated',
      description: 'Is gated.',
      parameters: { path: z.string() },
      approval: ({ path }) => path !== '/tmp',
      handler: ({ path }) => path,
    });
    expect(await playTool(gated, { args: { path: '/tmp' } }).end()).toEqual({ result: '/tmp' });
    expect(await playTool(gated, { args: { path: '/' }, human: [deny()] }).end()).toMatchObject({
      error: { code: 'denied' },
    });
    const human = [approve({ editedArgs: { path: '/srv' } })];
    expect(await playTool(gated, { args: { path: '/' }, human }).end()).toEqual({ result: '/srv' });
    expect(await playTool(gated, { args: { path: 1 as never } }).end()).toMatchObject({
      error: { code: 'invalid_args' },
    });
  });

  test('[PLG5, AGT6] arguments are parsed, and refused, as by a server', async () => {
    const listing = defineTool({
      name: 'listing',
      description: 'Lists.',
      parameters: { paths: z.array(z.string()), depth: z.number() },
      handler: ({ paths }) => paths,
    });
    const play = (args: object) => playTool(listing, { args: args as never }).end();
    expect(await play({ paths: '["a", "b"]', depth: 1 })).toEqual({ result: ['a', 'b'] });
    expect(await play({ paths: ['a'] })).toEqual({ error: { code: 'invalid_args', message: 'depth is missing' } });
    expect(await play({ paths: [1], depth: 1 })).toEqual({
      error: { code: 'invalid_args', message: 'paths.0: expected string, received number' },
    });
  });

  test('[PLG8] a missing await, with a server’s words', async () => {
    const hasty = defineTool({
      name: 'hasty',
      description: 'Goes on without the answer.',
      parameters: {},
      async handler(_, ctx) {
        void ctx.confirm('sure', 'Delete it?');
        return 'deleted';
      },
    });
    const stage = new Stage();
    const play = playTool(hasty, { stage });
    expect(await play.end()).toEqual({ result: 'deleted' });
    expect(stage.log).toEqual([
      {
        level: 'warn',
        message: 'nobody awaited ctx.confirm: the handler went on without the answer',
        details: { toolCallId: 'call-1', tool: 'hasty', request: 'ctx.confirm' },
      },
      {
        level: 'warn',
        message: 'the handler ended while it was asking: is an await missing?',
        details: { toolCallId: 'call-1', tool: 'hasty', interactionIds: ['call-1.1'] },
      },
    ]);
    expect(play.prompts[0]?.state).toBe('closed');
    const failing = playTool({
      ...hasty,
      async handler(args, ctx) {
        await hasty.handler(args, ctx);
        throw new Error('It broke.');
      },
    });
    expect((await failing.end()).error?.code).toBe('tool_error');
    expect(failing.prompts[0]?.state).toBe('closed');
  });

  test('[PLG5, PLG8] an unawaited failure names its tool and step, and does not end the process', async () => {
    const careless = defineTool({
      name: 'careless',
      description: 'Does not wait for its step.',
      parameters: {},
      async handler(_, ctx) {
        void ctx.step('send', () => {
          throw new Error('no route');
        });
        return 'sent';
      },
    });
    const stage = new Stage();
    await expect(playTool(careless, { stage }).end()).rejects.toThrow(
      'Tool "careless": nobody awaited ctx.step("send"): it failed: no route',
    );
    expect(stage.log.map(({ message }) => message)).toEqual(['nobody awaited ctx.step("send"): it failed']);
  });

  test('[PLG6, PLG8] a step whose value is not JSON, named by its key', async () => {
    const measure = defineTool({
      name: 'measure',
      description: 'Measures.',
      parameters: {},
      handler: (_, ctx) => ctx.step('mean', () => ({ mean: Number.NaN })),
    });
    expect((await playTool(measure).end()).error?.message).toContain('step "mean"');
  });

  test('secrets, which the agent does not see', async () => {
    const login = defineTool({
      name: 'login',
      description: 'Logs in.',
      parameters: {},
      async handler(_, ctx) {
        const { password } = await ctx.ask('p', z.object({ password: z.string().min(8).meta({ secret: true }) }));
        ctx.progress(`trying ${password}`);
        ctx.log.info(`with ${password}`, { password });
        await ctx.confirm('again', `Log in with ${password}?`);
        return `used ${password}`;
      },
    });
    const stage = new Stage();
    const play = playTool(login, { stage, human: [submit({ password: 'correct horse' }), approve()] });
    expect(await play.end()).toEqual({ result: 'used [redacted]' });
    expect(play.progress).toEqual(['trying [redacted]']);
    expect(play.prompts[1]?.prompt).toBe('Log in with [redacted]?');
    expect(stage.log).toEqual([{ level: 'info', message: 'with [redacted]', details: { password: '[redacted]' } }]);
  });

  test('nobody connected, and a turn that is stopped', async () => {
    const stage = new Stage({ available: false });
    expect(await playTool(greet, { stage }).end()).toMatchObject({ error: { code: 'interaction_unavailable' } });
    const play = playTool(greet);
    await play.prompt();
    await play.stop();
    expect(await play.end()).toMatchObject({ error: { code: 'cancelled' } });
    expect(play.prompts[0]?.state).toBe('closed');
  });
});

test.each([
  ['too few answers', [], 'The script has no answer to "Who?"'],
  ['too many', [submit({ name: 'Ada' }), cancel()], 'nobody asked for [{"action":"cancel"}]'],
  ['one that does not fit', [submit({ nam: 'Ada' })], 'nam: Unknown field.'],
])('[PLG5] a script with %s fails the test, with the reason', async (_, human, words) => {
  await expect(playTool(greet, { human }).end()).rejects.toThrow(words);
});

test('[PLG5, PLG8] an author’s arguments are checked as by a server', async () => {
  const hasty = defineTool({
    name: 'hasty',
    description: 'Errs.',
    parameters: {},
    handler: (_, ctx) => ctx.requestInteraction({ type: 'input', titel: 'x' } as never),
  });
  expect(await playTool(hasty).end()).toMatchObject({
    error: { code: 'tool_error', message: expect.stringContaining('Did you mean "title"?') },
  });
});
