import { type ChatEvent, definePlugin, type InteractionRequest, type ToolContext } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { startGuardedServer, useGuardedServer } from '../support/guarded-server.ts';
import { Journey } from '../support/journey.ts';

interface Args {
  readonly path: string;
}

const riskOf = (path: string) => (path.startsWith('/tmp/') ? ('low' as const) : ('high' as const));
const describe = ({ path }: Args) => {
  if (path === '/odd') throw new Error('Nobody knows what is odd.');
  return { ...words({ path }), risk: riskOf(path) };
};
const words = ({ path }: Args) => ({
  title: `Remove ${path}?`,
  subject: { kind: 'text' as const, text: path },
});
const base = {
  description: 'Removes a path.',
  parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
};
const asks = {
  key: ({ path }: Args) => ['wipe', path],
  scopes: ['once', 'session', 'always'] as const,
  editable: true,
};
const wipe = async (args: Args, ctx: ToolContext) => {
  const approval = await ctx.approve<Args>({ ...asks, ...describe(args) });
  return approval.approved ? [approval.args.path, approval.scope] : approval.code;
};
const wipeAtHighRisk = async (args: Args, ctx: ToolContext) =>
  (await ctx.approve<Args>({ ...asks, ...words(args), risk: 'high' })).approved;
/** A tool that returns risks that prompts do not allow. */
const misjudge = ({ path }: Args) => {
  const risk = path.startsWith('/tmp/') ? 'low' : path === '/odd' ? 'catastrophic' : undefined;
  return { ...words({ path }), risk: risk as 'low' | undefined };
};
/** A tool that finds another risk each time, because it depends on more than the arguments. */
const looks = new Map<string, number>();
const waver = ({ path }: Args) => {
  const before = looks.get(path) ?? 0;
  looks.set(path, before + 1);
  return { ...words({ path }), risk: path !== low.path && before > 0 ? ('high' as const) : ('low' as const) };
};
const plugin = definePlugin({
  name: 'wiper',
  tools: [
    { ...base, name: 'misjudging', approval: 'always', describe: misjudge, handler: ({ path }: Args) => path },
    { ...base, name: 'wavering', approval: 'always', describe: waver, handler: wipeAtHighRisk },
    { ...base, name: 'gated', approval: 'always', describe, handler: ({ path }: Args) => path },
    { ...base, name: 'described', describe, handler: wipe },
    { ...base, name: 'bare', handler: wipe },
    { ...base, name: 'bare_gate', approval: 'always', handler: ({ path }: Args) => path },
    { ...base, name: 'riskless', describe: words, handler: wipe },
  ],
});

const server = useGuardedServer({ plugins: [plugin] });
const low = { path: '/tmp/x' };
const toHigh = { action: 'approve', editedArgs: { path: '/etc' } };
const forbidden = { ok: false, error: { code: 'forbidden' } };

/** Starts a call that Rita asks for, and that Otto, an operator, watches. */
async function begin(tool: string, own = server) {
  const { token } = await own.makeToken({ role: 'responder', owner: `rita ${tool} ${Math.random()}` });
  const rita = await Journey.begin(own.local, { hello: { token } });
  const otto = await rita.join(own.local, { hello: { token: own.token } });
  return { rita, otto, prompt: await rita.ask(tool, low) };
}

const grantsOf = async ({ tab }: Journey) => (await tab.ask<{ grants: object[] }>({ type: 'list_grants' })).grants;

test.each([
  ['gated', 'once', '/etc'],
  ['gated', 'session', '/etc'],
  ['described', 'once', ['/etc', 'once']],
  ['described', 'session', ['/etc', 'once']],
])(
  '[APR2, TEAM2] an edit of %s to a higher risk, for %s, is a request of its own that its editor may not allow',
  async (tool, approvalScope, result) => {
    const { rita, otto, prompt } = await begin(tool);
    expect(prompt).toMatchObject({ risk: 'low', editable: true });
    expect(await rita.answer(prompt, { ...toHigh, approvalScope })).toMatchObject({ ok: true });
    const again = await rita.next(prompt);
    expect(again).toMatchObject({
      title: 'Remove /etc?',
      subject: { text: '/etc' },
      risk: 'high',
      approvalScopes: ['once'],
      editable: false,
      error: expect.stringMatching(/higher risk/),
    });
    expect(again.requesters).toHaveLength(1);
    expect(again.digest).not.toBe(prompt.digest);
    expect(again.grantKey).toBeUndefined();
    expect(await rita.answer(again, { action: 'approve' })).toMatchObject(forbidden);
    expect(await otto.answer(again, { action: 'approve' })).toMatchObject({ ok: true });
    expect(await rita.outcome()).toEqual({ result });
    expect(await grantsOf(otto)).toEqual([]);
  },
);

test.each(['gated', 'described'])('[APR2] denying the riskier edit of %s denies the call', async (tool) => {
  const { rita, otto, prompt } = await begin(tool);
  await rita.answer(prompt, toHigh);
  await otto.answer(await otto.next(prompt), { action: 'deny', reason: 'Not that.' });
  expect(JSON.stringify(await rita.outcome())).toContain('denied');
});

test('[APR2, DUR5] after a restart an approval allows the riskier edit, and not what was asked first', async () => {
  const own = await startGuardedServer({ plugins: [plugin] });
  const { otto: before, prompt } = await begin('gated', own);
  await before.answer(prompt, toHigh);
  const again = await before.next(prompt);
  await own.local.restart();
  const otto = await before.join(own.local, { hello: { token: own.token } });
  expect(await otto.answer(again, { action: 'approve' })).toMatchObject({ ok: true });
  expect(await otto.outcome()).toEqual({ result: '/etc' });
});

test('[APR2, APR4] a grant for what was asked first does not answer the riskier edit', async () => {
  const { rita, otto, prompt } = await begin('gated');
  await otto.answer(prompt, toHigh);
  const again = await otto.next(prompt);
  const other = await rita.join(server.local, { hello: { token: server.token } });
  const session = await other.tab.createSession();
  await other.tab.follow(session);
  await other.tab.say(session, `/call gated ${JSON.stringify(low)}`);
  const first = await other.tab.prompt(session);
  await other.tab.answer(session, first, { action: 'approve', approvalScope: 'always' });
  await other.tab.event(session, 'tool_result');
  expect(otto.settlements(again)).toEqual([]);
  await otto.answer(again, { action: 'approve' });
  expect(await otto.outcome(prompt)).toEqual({ result: '/etc' });
  expect(await grantsOf(otto)).toHaveLength(1);
});

test('[APR2] an edit of no higher risk runs at once, and is kept for as long as it was allowed', async () => {
  const { rita, prompt } = await begin('described');
  await rita.answer(prompt, { action: 'approve', approvalScope: 'session', editedArgs: { path: '/tmp/y' } });
  expect(await rita.outcome()).toEqual({ result: ['/tmp/y', 'session'] });
});

test.each(['bare', 'bare gate', 'riskless'])(
  '[APR2, TEAM2] an edit of %s with unknown risk counts as high risk, which its editor may not allow',
  async (name) => {
    const tool = name.replace(' ', '_');
    const { rita, otto, prompt } = await begin(tool);
    expect(await rita.answer(prompt, { ...toHigh, approvalScope: 'session' })).toMatchObject({ ok: true });
    const again = await rita.next(prompt);
    expect(again).toMatchObject({
      risk: 'high',
      approvalScopes: ['once'],
      editable: false,
      error: expect.stringMatching(/nobody can say at what risk/),
    });
    expect(again.subject?.text).toContain('/etc');
    expect(again.requesters).toHaveLength(1);
    expect(await rita.answer(again, { action: 'approve' })).toMatchObject(forbidden);
    expect(rita.events('tool_result')).toEqual([]);
    expect(await otto.answer(again, { action: 'approve' })).toMatchObject({ ok: true });
    expect(JSON.stringify(await rita.outcome())).toContain('/etc');
    expect(JSON.stringify(await grantsOf(otto))).not.toContain('/etc');
  },
);

test('[APR2, TEAM2] somebody who may answer high risk runs an edit of unknown risk, in the scope they choose', async () => {
  const { otto, prompt } = await begin('bare');
  await otto.answer(prompt, { ...toHigh, approvalScope: 'session' });
  expect(await otto.outcome()).toEqual({ result: ['/etc', 'session'] });
});

test('[APR2] an edit that the tool cannot describe does not run, and says why', async () => {
  const { otto, prompt } = await begin('described');
  await otto.answer(prompt, { action: 'approve', editedArgs: { path: '/odd' } });
  const again = await otto.next(prompt);
  expect(again).toMatchObject({ error: 'Nobody knows what is odd.', subject: { text: '/tmp/x' }, risk: 'low' });
});

test('[APR2, PLG8] an edit for which the tool names an invalid risk does not run, and the error is reported', async () => {
  const { rita, prompt } = await begin('misjudging');
  await rita.answer(prompt, { action: 'approve', editedArgs: { path: '/odd' } });
  const again = await rita.next(prompt);
  expect(again).toMatchObject({ error: expect.stringMatching(/^describe: risk: /), subject: { text: '/tmp/x' } });
  expect(rita.events('tool_result')).toEqual([]);
});

test('[APR2, TEAM2] an edit whose risk the tool returns as undefined counts as high risk', async () => {
  const { rita, otto, prompt } = await begin('misjudging');
  await rita.answer(prompt, toHigh);
  const again = await rita.next(prompt);
  expect(again).toMatchObject({ risk: 'high', subject: { text: '/etc' } });
  expect(await rita.answer(again, { action: 'approve' })).toMatchObject(forbidden);
  await otto.answer(again, { action: 'deny' });
});

test('[APR2, APR3] an approval of an edit at the gate does not cover a risk that appears later', async () => {
  const { otto, prompt } = await begin('wavering');
  await otto.answer(prompt, { action: 'approve', editedArgs: { path: '/tmp/y' } });
  const own = await otto.event('interaction_request', ({ payload }) => payload.slot !== '$gate');
  expect(own.payload).toMatchObject({ risk: 'high', subject: { text: '/tmp/y' } });
  await otto.answer(own.payload, { action: 'deny' });
});

test('[SEC9, APR2] an old login cannot allow an undescribed edit for always', async () => {
  const clock = { now: Date.now() };
  const own = await startGuardedServer({ plugins: [plugin], now: () => clock.now });
  const { token } = await own.makeToken({ role: 'operator', name: 'Otto' });
  const headers = { 'Content-Type': 'application/json', Origin: own.origin };
  const body = JSON.stringify({ token });
  const reply = await fetch(`${own.origin}/api/login`, { method: 'POST', headers, body });
  const Cookie = (reply.headers.get('set-cookie') ?? '').split(';')[0] as string;
  const otto = await Journey.begin(own.local, { headers: { Cookie, Origin: own.origin } });
  const always = { ...toHigh, approvalScope: 'always' };
  const outcomeOf = async (tool: string) => {
    const prompt: InteractionRequest = await otto.ask(tool, low);
    expect(await otto.answer(prompt, always)).toMatchObject({ ok: true });
    if (tool === 'described') await otto.answer(await otto.next(prompt), { action: 'approve' });
    const isOwn = ({ payload }: ChatEvent<'tool_result'>) => payload.toolCallId === prompt.toolCallId;
    const { result } = (await otto.event('tool_result', isOwn)).payload;
    await otto.event('turn_end', ({ turnId }) => turnId === (otto.events('tool_call').at(-1)?.turnId ?? ''));
    return result;
  };
  expect(await outcomeOf('bare')).toEqual(['/etc', 'always']);
  const [grant] = (await grantsOf(otto)) as { id: string }[];
  await otto.tab.ask({ type: 'revoke_grant', grantId: grant?.id ?? '' });
  clock.now += 3_600_001;
  expect(await outcomeOf('bare')).toEqual(['/etc', 'once']);
  expect(await outcomeOf('described')).toEqual(['/etc', 'once']);
  expect(await grantsOf(otto)).toEqual([]);
});
