import { definePlugin, defineTool, type GatedCall, type Json, type Plugin } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { Journey } from '../support/journey.ts';
import { type LocalOptions, startLocalServer } from '../support/local-server.ts';

const tool = (name: string, more: object = {}) =>
  defineTool({
    name,
    description: 'Says what it got.',
    parameters: { type: 'object' },
    handler: (args) => args,
    ...more,
  });

const tools = definePlugin({
  name: 'tools',
  tools: [
    tool('free'),
    tool('guarded', { approval: 'always' }),
    tool('reading', { readOnly: true }),
    defineTool({
      name: 'approving',
      description: 'Asks by itself.',
      parameters: { type: 'object' },
      handler: (_, ctx) => ctx.approve({ key: 'k', editable: true }),
    }),
  ],
});

const gate = (onToolCall: unknown, name = 'gate') => ({ name, tools: [], onToolCall }) as Plugin;

const begin = async (plugins: Plugin[], options: LocalOptions = {}) =>
  Journey.begin(await startLocalServer({ plugins: [tools, ...plugins], ...options }));

/** Returns what follows first: a prompt, or the result of the call. */
async function follow(journey: Journey, name: string, args: object = {}): Promise<Json | undefined> {
  const { seq } = await journey.call(name, args);
  const asked = journey.event('interaction_request', undefined, seq).then(() => 'asked');
  const ended = journey.event('tool_result', undefined, seq).then(({ payload }) => payload.error?.code ?? 'ran');
  return Promise.race([asked, ended]);
}

test('[APR3] a function of a plugin decides about the calls of all tools, as policies do', async () => {
  const seen: GatedCall[] = [];
  const verdicts: Record<string, string> = { free: 'ask', guarded: 'allow', reading: 'deny', approving: 'allow' };
  const journey = await begin([
    gate((call: GatedCall) => {
      seen.push(call);
      return verdicts[call.toolName];
    }),
  ]);
  expect(await follow(journey, 'guarded', { a: 1 })).toBe('ran');
  expect(await follow(journey, 'approving')).toBe('ran');
  expect((await journey.run('reading')).error).toMatchObject({
    code: 'denied',
    message: 'The plugin "gate" denies "reading".',
  });
  expect(await follow(journey, 'free')).toBe('asked');
  expect(seen.find(({ toolName }) => toolName === 'guarded')).toEqual({
    sessionId: journey.session,
    toolCallId: expect.any(String),
    toolName: 'guarded',
    plugin: 'tools',
    args: { a: 1 },
    readOnly: false,
    agent: 'demo',
  });
});

test.each([
  ['deny', 'allow', 'denied'],
  ['allow', 'deny', 'denied'],
  ['ask', 'allow', 'asked'],
  ['allow', 'ask', 'asked'],
  ['pass', 'allow', 'ran'],
  ['pass', 'pass', 'ran'],
])('[APR3] the stricter of %s and %s counts, and that of a policy, too', async (one, other, outcome) => {
  expect(await follow(await begin([gate(() => one, 'one'), gate(async () => other, 'other')]), 'free')).toBe(outcome);
  const policies = [{ tool: '*', effect: other === 'pass' ? undefined : (other as 'allow') }];
  expect(await follow(await begin([gate(() => one)], { policies }), 'free')).toBe(outcome);
});

test.each([
  [
    'throws',
    () => {
      throw new Error('broken');
    },
  ],
  ['rejects', async () => Promise.reject(new Error('broken'))],
  ['never decides', () => new Promise(() => undefined)],
  ['returns nothing', () => undefined],
  ['returns true', () => true],
  ['returns another word', () => 'yes'],
  ['returns an object', () => ({ toString: () => 'allow' })],
])('[APR3] a function that %s lets nothing run unasked', async (_, broken) => {
  const journey = await begin([gate(broken)], {
    policies: [{ tool: '*', effect: 'allow' }],
    durations: { gateMs: 30 },
  });
  expect(await follow(journey, 'free')).toBe('asked');
});

test('[APR3] what a function changes in a call neither runs nor reaches the next function', async () => {
  const change = (call: GatedCall) => {
    Object.assign(call.args as object, { path: '/etc/passwd' });
    return 'pass';
  };
  const judge = ({ args }: GatedCall) => ((args as { path: string }).path === '/tmp' ? 'pass' : 'deny');
  const journey = await begin([gate(change, 'one'), gate(judge, 'two')]);
  expect((await journey.run('free', { path: '/tmp' })).result).toEqual({ path: '/tmp' });
});

test.each(['guarded', 'approving'])(
  '[APR3] arguments of %s that a person edited are judged like those that the model wrote',
  async (name) => {
    const judge = ({ args }: GatedCall) => ((args as { path?: string }).path === '/etc' ? 'deny' : 'pass');
    const journey = await begin([gate(judge)]);
    const prompt = await journey.ask(name, { path: '/tmp' });
    await journey.answer(prompt, { action: 'approve', editedArgs: { path: '/etc' } });
    const again = await journey.next(prompt);
    expect(again.error).toBe('The plugin "gate" denies these arguments.');
    await journey.answer(again, { action: 'approve', editedArgs: { path: '/var' } });
    expect(JSON.stringify((await journey.outcome()).result)).toContain('/var');
  },
);

test('[APR3] no function extends what the model may do in plan mode, and bypassPermissions asks if one asks', async () => {
  const journey = await begin([gate(() => 'allow')]);
  await journey.tab.ask({ type: 'update_session', sessionId: journey.session, permissionMode: 'plan' });
  expect(await follow(journey, 'free')).toBe('denied');
  const bypassing = await begin([gate(() => 'ask')]);
  await bypassing.tab.ask({
    type: 'update_session',
    sessionId: bypassing.session,
    permissionMode: 'bypassPermissions',
  });
  expect(await follow(bypassing, 'free')).toBe('asked');
});
