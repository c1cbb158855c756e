import { definePlugin, defineTool, gateSlot, type Plugin, type ReviewerHost, type ReviewRequest } from '@parleyhq/core';
import { expect, test, vi } from 'vitest';
import { Journey } from '../support/journey.ts';
import { type LocalOptions, startLocalServer } from '../support/local-server.ts';

const risks = { quiet: 'low', louder: 'medium', grave: 'high' } as const;
const told = (name: keyof typeof risks) =>
  defineTool({
    name,
    description: 'Says what it got.',
    parameters: {
      type: 'object',
      properties: { word: {}, pages: { type: 'array', items: { type: 'object', properties: { line: {} } } } },
    },
    describe: (args: object) => ({
      title: `Run ${name}?`,
      subject: { kind: 'json', text: JSON.stringify(args) },
      risk: risks[name],
    }),
    handler: (args) => args,
  });

const tools = definePlugin({
  name: 'tools',
  tools: [
    told('quiet'),
    told('louder'),
    told('grave'),
    defineTool({
      name: 'untold',
      description: 'States no risk.',
      parameters: { type: 'object' },
      handler: () => 'ran',
    }),
    defineTool({
      name: 'approving',
      description: 'Asks by itself, about more than its description shows.',
      parameters: { type: 'object' },
      describe: () => ({ title: 'Begin?', risk: 'low' }),
      async handler(args: { risk?: 'low' | 'high'; demand?: object }, ctx) {
        const { risk = 'low', demand = {} } = args;
        const { approved } = await ctx.approve({ key: 'k', title: 'Send the words?', risk, ...demand });
        return { approved };
      },
    }),
    defineTool({
      name: 'ask_somebody',
      description: 'Only asks.',
      parameters: { type: 'object' },
      asking: true,
      handler: (_, ctx) => ctx.confirm('c', 'Well?'),
    }),
  ],
});

type Review = (request: ReviewRequest, host: ReviewerHost) => unknown;

const guard = (review: Review) =>
  ({ name: 'guards', tools: [], reviewers: [{ name: 'guard', review }] }) as unknown as Plugin;
const pass: Review = () => ({ verdict: 'pass', reason: 'It only repeats words.' });
const policies = [{ tool: '*', effect: 'review', reviewer: 'guard' }] as const;

async function begin(review: Review, { plugins = [], ...options }: LocalOptions = {}) {
  const all = [tools, guard(review), ...plugins];
  const server = await startLocalServer({ policies, draw: () => 0.5, ...options, plugins: all });
  return { server, journey: await Journey.begin(server) };
}

/** Calls a tool and waits for whatever comes first: its prompt or its result. */
async function follow({ journey }: { journey: Journey }, name: string, args: object = {}) {
  const { seq } = await journey.call(name, args);
  const prompt = journey.event('interaction_request', undefined, seq).then(({ payload }) => ({ prompt: payload }));
  const result = journey.event('tool_result', undefined, seq).then(({ payload }) => ({ result: payload }));
  const first: { prompt?: Awaited<typeof prompt>['prompt']; result?: Awaited<typeof result>['result'] } =
    await Promise.race([prompt, result]);
  const call = (await journey.event('tool_call', undefined, seq)).payload;
  return { ...first, call };
}

async function auditOf({ server, journey }: Awaited<ReturnType<typeof begin>>): Promise<object[]> {
  return (await server.store.audit.read(journey.session)).map(({ text }) => JSON.parse(text));
}

test('[LESS3] a reviewer sees a call first and passes it: nobody is asked, and the log names it', async () => {
  const seen: ReviewRequest[] = [];
  const world = await begin((request) => {
    seen.push(request);
    return pass(request, {} as never);
  });
  const { result, call } = await follow(world, 'quiet', { word: 'hi' });
  expect(result?.result).toEqual({ word: 'hi' });
  const digest = expect.any(String);
  expect(call.authorised).toEqual({ by: 'reviewer', name: 'guard', reason: 'It only repeats words.', digest });
  expect(seen).toEqual([
    {
      sessionId: world.journey.session,
      toolCallId: call.toolCallId,
      toolName: 'quiet',
      plugin: 'tools',
      args: { word: 'hi' },
      declaredNames: ['word', 'pages', 'line'],
      risk: 'low',
      title: 'Run quiet?',
      subject: { kind: 'json', text: '{"word":"hi"}' },
      readOnly: false,
      agent: 'demo',
    },
  ]);
  const rows = await auditOf(world);
  expect(rows).toContainEqual(
    expect.objectContaining({ event: 'tool_call', toolName: 'quiet', outcome: 'reviewer', reviewer: 'guard' }),
  );
  expect(JSON.stringify(rows)).not.toContain('repeats words');
});

test('[LESS3] a reviewer that asks is quoted on the prompt, and the person decides', async () => {
  const world = await begin(() => ({ verdict: 'ask', reason: 'It mentions a person.' }));
  const { prompt, call } = await follow(world, 'quiet');
  const reviewed = { name: 'guard', verdict: 'ask', reason: 'It mentions a person.' };
  expect(prompt).toMatchObject({ reviewed });
  expect(call.authorised).toEqual({ by: 'person', interactionId: prompt?.interactionId, reviewed });
  await world.journey.answer(prompt!, { action: 'approve' });
  expect((await world.journey.outcome(prompt)).result).toEqual({});
});

test.each<[string, Review, string]>([
  [
    'throws',
    () => {
      throw new Error('broken');
    },
    'It failed.',
  ],
  ['rejects', async () => Promise.reject(new Error('broken')), 'It failed.'],
  ['never answers', () => new Promise(() => undefined), 'It did not answer in time.'],
  ['returns nothing', () => undefined, 'Its result was not valid.'],
  ['returns a text', () => 'pass', 'Its result was not valid.'],
  ['denies', () => ({ verdict: 'deny', reason: 'No.' }), 'Its result was not valid.'],
  ['wants more', () => ({ verdict: 'pass', reason: 'r', scope: 'always' }), 'Its result was not valid.'],
  ['gives no reason', () => ({ verdict: 'pass', reason: ' ' }), 'Its result was not valid.'],
])('[LESS3] a reviewer that %s asks a person', async (_, review, reason) => {
  const world = await begin(review, { durations: { reviewMs: 40 } });
  const { prompt } = await follow(world, 'quiet');
  expect(prompt?.reviewed).toEqual({ name: 'guard', verdict: 'ask', reason, cause: 'fault' });
});

test('[LESS3] a policy may allow less time, and a pass that comes too late counts for nothing', async () => {
  let late: (() => void) | undefined;
  const world = await begin(() => new Promise((resolve) => (late = () => resolve({ verdict: 'pass', reason: 'r' }))), {
    policies: [{ ...policies[0], timeoutMs: 30 }],
  });
  const { prompt } = await follow(world, 'quiet');
  late?.();
  expect(prompt?.reviewed).toMatchObject({ reason: 'It did not answer in time.' });
  await world.journey.answer(prompt!, { action: 'deny' });
  expect((await world.journey.outcome(prompt)).error?.code).toBe('denied');
});

test.each([
  ['louder', 'low', 'Its risk is medium, and the policy has only low risk reviewed.'],
  ['grave', 'low', 'Its risk is high, and the policy has only low risk reviewed.'],
  ['grave', 'medium', 'Its risk is high, and the policy has only risks up to medium reviewed.'],
  ['untold', 'medium', 'The tool does not state the risk of this call, so it was not reviewed.'],
] as const)('[LESS3] a call of %s is not for a reviewer up to risk %s', async (name, maxRisk, reason) => {
  const review = vi.fn(pass);
  const world = await begin(review, { policies: [{ ...policies[0], maxRisk }] });
  const { prompt } = await follow(world, name);
  expect(prompt?.reviewed).toEqual({ name: 'guard', verdict: 'ask', reason, cause: 'risk' });
  expect(review).not.toHaveBeenCalled();
});

test('[LESS3] a policy may let a reviewer pass medium risk', async () => {
  const world = await begin(pass, { policies: [{ ...policies[0], maxRisk: 'medium' }] });
  expect((await follow(world, 'louder')).call.authorised.by).toBe('reviewer');
});

test('[LESS3] what a reviewer changes in a call neither runs nor is shown', async () => {
  const world = await begin((request) => {
    Object.assign(request.args as object, { word: 'changed' });
    return pass(request, {} as never);
  });
  expect((await follow(world, 'quiet', { word: 'hi' })).result?.result).toEqual({ word: 'hi' });
});

test('[LESS3] a tool that only asks people is never reviewed', async () => {
  const review = vi.fn(pass);
  const { prompt } = await follow(await begin(review), 'ask_somebody');
  expect(prompt?.reviewed).toBeUndefined();
  expect(review).not.toHaveBeenCalled();
});

test.each([
  ['a policy that asks', { tool: 'quiet', effect: 'ask' }],
  ['two votes', { tool: 'quiet', decide: { approve: 2 } }],
  ['an audience', { tool: 'quiet', audience: { role: 'operator' } }],
] as const)('[LESS3] %s is for people', async (_, more) => {
  const review = vi.fn(pass);
  const { prompt } = await follow(await begin(review, { policies: [...policies, more] }), 'quiet');
  expect(prompt).toBeDefined();
  expect(review).not.toHaveBeenCalled();
});

test('[LESS3] a sample of what it passes is asked all the same, and says so only in the log', async () => {
  const world = await begin(pass, { draw: () => 0.04 });
  const { prompt, call } = await follow(world, 'quiet');
  const reviewed = { name: 'guard', verdict: 'pass', reason: 'It only repeats words.' };
  expect(prompt?.reviewed).toEqual(reviewed);
  expect(call.authorised).toEqual({ by: 'person', interactionId: prompt?.interactionId, reviewed });
  await world.journey.answer(prompt!, { action: 'deny' });
  expect((await world.journey.outcome(prompt)).error?.code).toBe('denied');
});

test('[LESS3] what a person denied is for people until one of them allows it', async () => {
  const review = vi.fn(pass);
  let drawn = 0.04;
  const world = await begin(review, { draw: () => drawn });
  const settle = async (prompt: Awaited<ReturnType<typeof follow>>['prompt'], action: string) => {
    await world.journey.answer(prompt!, { action });
    await world.journey.outcome(prompt);
  };
  await settle((await follow(world, 'quiet', { n: 1 })).prompt, 'deny');
  drawn = 0.5;
  review.mockClear();
  const { prompt } = await follow(world, 'quiet', { n: 1 });
  expect(prompt?.reviewed).toMatchObject({ name: 'guard', verdict: 'ask', cause: 'denied' });
  expect(review).not.toHaveBeenCalled();
  await settle(prompt, 'approve');
  expect((await follow(world, 'quiet', { n: 1 })).call.authorised.by).toBe('reviewer');
});

test('[LESS3] what a person denied of a handler is for people again, whatever they allow at the gate', async () => {
  let verdict = 'ask';
  const world = await begin(({ title }) => ({ verdict: title === 'Begin?' ? 'pass' : verdict, reason: 'r' }));
  const { prompt } = await follow(world, 'approving');
  await world.journey.answer(prompt!, { action: 'deny' });
  await world.journey.outcome(prompt);
  verdict = 'pass';
  const { prompt: gate, call } = await follow(world, 'approving');
  expect([gate?.title, call.authorised.by]).toEqual(['Begin?', 'person']);
  await world.journey.answer(gate!, { action: 'approve' });
  const own = await world.journey.event(
    'interaction_request',
    ({ payload }) => payload.toolCallId === call.toolCallId && payload.title === 'Send the words?',
  );
  expect(own.payload).toMatchObject({ reviewed: { cause: 'denied' } });
});

test('[LESS3] a description that has changed since the review is for a person, before anything runs', async () => {
  let title = 'Begin?';
  const changing = definePlugin({
    name: 'changing',
    tools: [
      defineTool({
        name: 'changed',
        description: 'Shows something else at its start than at its review.',
        parameters: { type: 'object' },
        describe: () => ({ title, risk: 'low' }),
        handler: (_, ctx) => ctx.approve({ key: 'k', title: 'Delete all of it?', risk: 'low' }),
      }),
    ],
  });
  const world = await begin(
    (request) => {
      const verdict = request.title === 'Begin?' ? 'pass' : 'ask';
      title = 'Delete all of it?';
      return { verdict, reason: `About ${request.title}` };
    },
    { plugins: [changing] },
  );
  const { prompt, call } = await follow(world, 'changed');
  expect(call.authorised.by).toBe('reviewer');
  expect(prompt).toMatchObject({ title, slot: gateSlot });
});

test('[LESS3, DUR10] after a restart, too, one pass at the gate stands for one approval of the handler', async () => {
  const twice = definePlugin({
    name: 'twice',
    tools: [
      defineTool({
        name: 'twice',
        description: 'Asks the same before and after a question.',
        parameters: { type: 'object' },
        describe: () => ({ title: 'Send it?', risk: 'low' }),
        async handler(_, ctx) {
          await ctx.approve({ key: 'first', title: 'Send it?', risk: 'low' });
          await ctx.confirm('between', 'Once more?');
          return ctx.approve({ key: 'second', title: 'Send it?', risk: 'low' });
        },
      }),
    ],
  });
  const review = vi.fn(pass);
  const world = await begin(review, { plugins: [twice] });
  const { prompt } = await follow(world, 'twice');
  expect(prompt?.prompt).toBe('Once more?');
  await world.server.restart();
  const after = await world.journey.join(world.server);
  review.mockReturnValue({ verdict: 'ask', reason: 'Once is enough.' });
  await after.answer(prompt!, { action: 'approve' });
  const { payload } = await after.event('interaction_request', ({ payload }) => payload.title === 'Send it?');
  expect(payload.reviewed).toMatchObject({ verdict: 'ask', reason: 'Once is enough.' });
});

test('[LESS3] calls of one message are each reviewed once, also if storing them is prepared again', async () => {
  const review = vi.fn(pass);
  const draw = vi.fn(() => 0.5);
  const world = await begin(review, { draw });
  const lines = [1, 2, 3].map((n) => `/call quiet {"n":${n}}`).join('\n');
  const { seq } = await world.journey.tab.say(world.journey.session, lines);
  await world.journey.event('turn_end', undefined, seq);
  expect(review).toHaveBeenCalledTimes(3);
  expect(draw).toHaveBeenCalledTimes(3);
});

test('[LESS3] an approval of the handler is reviewed with what it shows, and its result names the reviewer', async () => {
  const seen: ReviewRequest[] = [];
  const world = await begin((request) => {
    seen.push(request);
    return pass(request, {} as never);
  });
  const { result, call } = await follow(world, 'approving', { n: 1 });
  expect(result?.result).toEqual({ approved: true });
  expect(call.authorised.by).toBe('reviewer');
  expect(seen.map(({ title }) => title)).toEqual(['Begin?', 'Send the words?']);
  expect(result?.authorised).toEqual({ by: 'reviewer', name: 'guard', reason: 'It only repeats words.' });
  expect(await auditOf(world)).toContainEqual(
    expect.objectContaining({
      event: 'approval_passed',
      outcome: 'reviewer',
      reviewer: 'guard',
      toolName: 'approving',
    }),
  );
});

test.each([
  ['of high risk', { risk: 'high' }, 'risk'],
  ['for operators', { demand: { audience: { role: 'operator' } } }, undefined],
  ['that several decide', { demand: { decide: { approve: 2 } } }, undefined],
  ['that is hidden', { demand: { visibility: 'audience' } }, undefined],
  ['that needs a reason', { demand: { reasonRequired: ['approve'] } }, undefined],
])('[LESS3] an approval of the handler %s is for people', async (_, args, cause) => {
  const world = await begin(pass);
  const { prompt, call } = await follow(world, 'approving', args);
  expect(call.authorised.by).toBe('reviewer');
  expect(prompt?.title).toBe('Send the words?');
  expect(prompt?.reviewed?.cause).toBe(cause);
});

test('[LESS3] a reviewer that asks about an approval of the handler is quoted there', async () => {
  const world = await begin(({ title }) => ({
    verdict: title === 'Begin?' ? 'pass' : 'ask',
    reason: `About ${title}`,
  }));
  const { prompt } = await follow(world, 'approving');
  expect(prompt?.reviewed).toEqual({ name: 'guard', verdict: 'ask', reason: 'About Send the words?' });
  await world.journey.answer(prompt!, { action: 'approve' });
  expect((await world.journey.outcome(prompt)).result).toEqual({ approved: true });
});

test("[LESS3] a person's lasting consent needs no review", async () => {
  const review = vi.fn((): unknown => ({ verdict: 'ask', reason: 'I do not know.' }));
  const world = await begin(review);
  const { prompt } = await follow(world, 'quiet', { n: 1 });
  await world.journey.answer(prompt!, { action: 'approve', approvalScope: 'session' });
  await world.journey.outcome(prompt);
  review.mockClear();
  expect((await follow(world, 'quiet', { n: 1 })).call.authorised.by).toBe('grant');
  expect(review).not.toHaveBeenCalled();
});

test('[LESS3] a turn that is stopped ends the review, and nothing runs', async () => {
  let reviewing: (host: ReviewerHost) => void = () => undefined;
  const begun = new Promise<ReviewerHost>((resolve) => {
    reviewing = resolve;
  });
  const world = await begin((_, host) => {
    reviewing(host);
    return new Promise(() => undefined);
  });
  await world.journey.call('quiet');
  const { signal } = await begun;
  const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve));
  await world.journey.tab.ask({ type: 'cancel_turn', sessionId: world.journey.session });
  await aborted;
  await world.journey.event('turn_end');
  expect(world.journey.events('tool_call')).toEqual([]);
});

test('[LESS3] a server does not start with a reviewer or a policy that is wrong', async () => {
  const start = (options: LocalOptions) => startLocalServer({ plugins: [tools, guard(pass)], ...options });
  await expect(start({ policies: [{ tool: '*', effect: 'review', reviewer: 'gard' }] })).rejects.toThrow(
    'policies: "*" names no reviewer that exists: "gard". Did you mean "guard"?',
  );
  await expect(start({ reviewers: [{ reviewer: 'gard' }] })).rejects.toThrow('reviewers: there is no reviewer "gard".');
  await expect(start({ reviewers: [{ reviewer: 'guard' }, { reviewer: 'guard' }] })).rejects.toThrow(
    'reviewers: two are called "guard": give one another "name".',
  );
});
