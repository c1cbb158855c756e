import { canonicalise, definePlugin, type GatedCall, type InteractionRequest, type Json } from '@parleyhq/core';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { anyArgs, anyParameters, tellingTool } from '../../../core/test/support/any-tool.ts';
import { Journey } from '../support/journey.ts';
import { startLocalServer } from '../support/local-server.ts';

const shownOn = ({ subject }: InteractionRequest): Json => JSON.parse(subject?.text ?? 'null');

/** Starts a server with these tools, all of which ask. */
async function begin(...tools: ReturnType<typeof tellingTool>[]) {
  const server = await startLocalServer({ plugins: [definePlugin({ name: 'tools', tools, covers: () => false })] });
  return { server, journey: await Journey.begin(server) };
}

const calledWith = async ({ tab, session }: Journey, { toolCallId }: InteractionRequest) =>
  (await tab.event(session, 'tool_call', ({ payload }) => payload.toolCallId === toolCallId)).payload;

test('[APR2] whatever a schema makes of arguments, what runs is what the card showed', async () => {
  const all = fc.sample(anyParameters, { numRuns: 40, seed: 7 });
  const { journey } = await begin(...all.map((parameters, n) => tellingTool(parameters, `tool_${n}`)));
  const calls = fc.record({ n: fc.nat(all.length - 1), args: anyArgs, edit: fc.option(anyArgs) });
  await fc.assert(
    fc.asyncProperty(calls, async ({ n, args, edit }) => {
      const { seq } = await journey.call(`tool_${n}`, args);
      const ended = journey.event('tool_result', undefined, seq).then(({ payload }) => payload);
      let approved: Json | undefined;
      let after = seq;
      for (let isOver = false; !isOver; ) {
        const asked = journey.event('interaction_request', undefined, after);
        const first = await Promise.race([asked, ended.then(() => undefined)]);
        if (!first) break;
        after = first.seq;
        const prompt = first.payload;
        const typed = prompt.attempt === 1 ? edit : null;
        approved = typed ?? shownOn(prompt);
        const { ok } = await journey.answer(prompt, { action: 'approve', ...(typed && { editedArgs: typed }) });
        isOver = !ok;
      }
      const { result, error } = await ended;
      await journey.event('turn_end', undefined, seq);
      if (error) expect(error.code).toBe('invalid_args');
      else expect(canonicalise(result)).toBe(canonicalise(approved));
    }),
    { numRuns: 60 },
  );
});

const deploying = z.object({ app: z.string(), env: z.string().default('production') });

test('[APR2] the card, the event and the grant have the arguments as the schema converted them; what the model wrote is kept', async () => {
  const { journey } = await begin(tellingTool(deploying));
  const prompt = await journey.ask('telling', { app: 'a' });
  const shown = { app: 'a', env: 'production' };
  expect(shownOn(prompt)).toEqual(shown);
  expect(JSON.parse(prompt.grantKey!)).toEqual({ tool: 'telling', args: shown });
  expect(await calledWith(journey, prompt)).toMatchObject({ args: { app: 'a' }, parsedArgs: shown });
  await journey.answer(prompt, { action: 'approve' });
  expect(await journey.outcome(prompt)).toEqual({ result: shown });
});

test('[APR2, PLG2] a default of JSON Schema is only an annotation: it is neither shown nor filled in', async () => {
  const properties = { id: { type: 'integer' }, nick: { type: ['string', 'null'], default: null } };
  const { journey } = await begin(tellingTool({ type: 'object', properties }));
  const prompt = await journey.ask('telling', { id: 7 });
  expect(shownOn(prompt)).toEqual({ id: 7 });
  expect(await calledWith(journey, prompt)).not.toHaveProperty('parsedArgs');
  await journey.answer(prompt, { action: 'approve' });
  expect(await journey.outcome(prompt)).toEqual({ result: { id: 7 } });
});

test('[AGT6, APR2] a null that is not allowed, and JSON in a string, are corrected before anybody is asked', async () => {
  const properties = { verbose: { type: 'boolean' }, nick: { type: ['string', 'null'] }, at: { $ref: '#/$defs/at' } };
  const point = { type: 'object', properties: { x: { type: 'number' }, next: { $ref: '#/properties/at' } } };
  const $defs = { at: { $ref: '#/$defs/point', title: 'At' }, point };
  const { journey } = await begin(tellingTool({ type: 'object', properties, $defs }));
  const prompt = await journey.ask('telling', { verbose: null, nick: null, at: '{"x": 1, "next": "{\\"x\\": 2}"}' });
  const meant = { nick: null, at: { x: 1, next: { x: 2 } } };
  expect(shownOn(prompt)).toEqual(meant);
  await journey.answer(prompt, { action: 'approve' });
  expect(await journey.outcome(prompt)).toEqual({ result: meant });
});

test('[AGT6] mistakes are corrected within references, unions with null, and `allOf` with one schema, too', async () => {
  const $defs = { at: { type: 'object', properties: { x: { type: 'number' }, y: { type: 'number' } } } };
  const at = { $ref: '#/$defs/at' };
  const properties = {
    perhaps: { anyOf: [at, { type: 'null' }], default: null },
    all: { allOf: [at] },
    list: { type: 'array', items: { ...at, title: 'Each' } },
    either: { anyOf: [at, { type: 'string' }] },
  };
  const { journey } = await begin(tellingTool({ type: 'object', properties, $defs }));
  const text = '{"x":1,"y":null}';
  const prompt = await journey.ask('telling', { perhaps: text, all: text, list: [text], either: text });
  expect(shownOn(prompt)).toEqual({ perhaps: { x: 1 }, all: { x: 1 }, list: [{ x: 1 }], either: text });
  await journey.answer(prompt, { action: 'deny' });
});

test('[APR3, APR4] a grant covers what was shown: with another default it is another call', async () => {
  let env = 'staging';
  const { journey } = await begin(tellingTool(z.object({ env: z.string().default(() => env) })));
  const prompt = await journey.ask('telling');
  await journey.answer(prompt, { action: 'approve', approvalScope: 'always' });
  await journey.event('turn_end');
  expect(await journey.run('telling')).toEqual({ result: { env: 'staging' } });
  env = 'production';
  expect(shownOn(await journey.ask('telling'))).toEqual({ env: 'production' });
});

test('[APR3] onToolCall judges what runs', async () => {
  const seen: Json[] = [];
  const onToolCall = ({ args }: GatedCall) => {
    seen.push(args);
    return (args as { env?: string }).env === 'production' ? ('ask' as const) : ('pass' as const);
  };
  const tools = [tellingTool(deploying, 'telling', { approval: 'never' })];
  const server = await startLocalServer({ plugins: [definePlugin({ name: 'tools', tools, onToolCall })] });
  const journey = await Journey.begin(server);
  expect(shownOn(await journey.ask('telling', { app: 'a' }))).toEqual({ app: 'a', env: 'production' });
  expect(new Set(seen.map(canonicalise))).toEqual(new Set([canonicalise({ app: 'a', env: 'production' })]));
});

test('[APR2, APR5] an edit that the schema converts is asked about as it runs, and the model learns what ran', async () => {
  const { journey } = await begin(tellingTool(deploying));
  const prompt = await journey.ask('telling', { app: 'a', env: 'staging' });
  await journey.answer(prompt, { action: 'approve', editedArgs: { app: 'b' } });
  const anew = await journey.next(prompt);
  const shown = { app: 'b', env: 'production' };
  expect(shownOn(anew)).toEqual(shown);
  expect(anew).toMatchObject({ editable: false, approvalScopes: ['once'], error: expect.stringContaining('read as') });
  await journey.answer(anew, { action: 'approve' });
  expect(await journey.outcome(prompt)).toEqual({ result: shown });
  const [result] = journey.events('tool_result');
  const told = `before they said yes, to ${JSON.stringify(shown)}`;
  expect(result?.payload).toMatchObject({ note: expect.stringContaining(told) });
});

test('[APR2] a prompt of the handler shows the arguments that it runs with, and its edit begins with them', async () => {
  const tool = tellingTool(deploying, 'telling', {
    handler: async (args, ctx) => {
      const { args: allowed } = (await ctx.approve({ key: 'again', prompt: 'Really?', editable: true })) as never;
      return [args, allowed] as Json;
    },
  });
  const { journey } = await begin(tool);
  const gate = await journey.ask('telling', { app: 'a' });
  expect(gate).not.toHaveProperty('args');
  const edited = { app: 'b', env: 'staging' };
  await journey.answer(gate, { action: 'approve', editedArgs: edited });
  const { payload: own } = await journey.event('interaction_request', ({ payload }) => payload.prompt === 'Really?');
  expect(shownOn(own)).toEqual(edited);
  expect(own.args).toEqual(edited);
  await journey.answer(own, { action: 'approve' });
  expect(await journey.outcome(gate)).toEqual({ result: [edited, edited] });
});

test('[APR7] a rule judges what runs, also when it settles an open prompt', async () => {
  const judged: unknown[] = [];
  const tool = tellingTool(z.object({ env: z.string().default('production') }), 'telling', {
    rules: () => [{ id: 'any', label: 'any', key: 'any', scopes: ['session'] }],
  });
  const covers = (_: unknown, args: unknown) => judged.push(args) > 0;
  const server = await startLocalServer({ plugins: [definePlugin({ name: 'tools', tools: [tool], covers })] });
  const journey = await Journey.begin(server);
  const { seq } = await journey.tab.say(journey.session, '/call telling {}\n/call telling {}');
  const [one, two] = await journey.prompts(2);
  await journey.answer(one!, { action: 'approve', approvalScope: 'session', ruleId: 'any' });
  expect(await journey.outcome(two)).toEqual({ result: { env: 'production' } });
  await journey.event('turn_end', undefined, seq);
  expect(judged).not.toHaveLength(0);
  expect(new Set(judged.map(canonicalise))).toEqual(new Set([canonicalise({ env: 'production' })]));
});

test('[APR2, DUR2] what was shown runs after a restart, although its default has changed', async () => {
  let env = 'staging';
  const { server, journey } = await begin(tellingTool(z.object({ env: z.string().default(() => env) })));
  const prompt = await journey.ask('telling');
  env = 'production';
  await server.restart();
  const again = await journey.join(server);
  await again.answer(prompt, { action: 'approve' });
  expect(await again.outcome(prompt)).toEqual({ result: { env: 'staging' } });
});

test.each(['open', 'answered'])(
  '[APR2, DUR5] arguments that the tool can no longer read as shown are asked about anew after a restart; the prompt was %s',
  async (state) => {
    let more = {};
    const parameters = z.object({ app: z.string() }).transform((args) => ({ ...args, ...more }));
    const describe = () => ({ subject: { kind: 'text', text: 'the same words' } }) as const;
    const tool = tellingTool(parameters, 'telling', {
      describe,
      handler: async (args, ctx) =>
        [args, (await ctx.requestInteraction({ type: 'approval', prompt: 'Go on?' })) && 1] as Json,
    });
    const { server, journey } = await begin(tool);
    const prompt = await journey.ask('telling', { app: 'a' });
    if (state === 'answered') {
      await journey.answer(prompt, { action: 'approve' });
      await journey.event('interaction_request', ({ payload }) => payload.prompt === 'Go on?');
    }
    more = { env: 'production' };
    await server.restart();
    const again = await journey.join(server);
    const isAnew = ({ slot, interactionId }: InteractionRequest) =>
      slot === prompt.slot && interactionId !== prompt.interactionId;
    const { payload: anew, seq } = await again.event('interaction_request', ({ payload }) => isAnew(payload));
    expect(anew).toMatchObject(state === 'open' ? { digest: prompt.digest } : { setsAside: prompt.interactionId });
    expect(anew.args).toEqual({ app: 'a', env: 'production' });
    await again.answer(anew, { action: 'approve' });
    const goOn = await again.event('interaction_request', ({ payload }) => payload.prompt === 'Go on?', seq);
    await again.answer(goOn.payload, { action: 'approve' });
    expect(await again.outcome(prompt)).toEqual({ result: [{ app: 'a', env: 'production' }, 1] });
  },
);
