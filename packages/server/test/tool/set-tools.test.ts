import { definePlugin, type PluginHost, type Tool } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { Journey } from '../support/journey.ts';
import { useLocalServer } from '../support/local-server.ts';

const makeTool = (name: string, more: Partial<Tool> = {}): Tool => ({
  name,
  description: 'Says which it is.',
  parameters: { type: 'object' },
  handler: () => name,
  ...more,
});

let host: PluginHost;
const growing = definePlugin({
  name: 'growing',
  tools: [makeTool('fixed')],
  setup(given) {
    host = given;
  },
});
/** Runs once while a call is being decided. */
let meanwhile = () => {};
const slow = definePlugin({
  name: 'slow',
  tools: [],
  onToolCall() {
    const happen = meanwhile;
    meanwhile = () => {};
    happen();
    return 'pass';
  },
});
const other = definePlugin({ name: 'other', tools: [makeTool('taken')] });
const server = useLocalServer({ plugins: [growing, slow, other], policies: [{ tool: 'change*', effect: 'allow' }] });

const run = async (tool: string) => (await Journey.begin(server)).run(tool);

test('[AGT4, PLG1] a plugin replaces the tools that it added while running, and keeps its static ones', async () => {
  expect(host.setTools([makeTool('one'), makeTool('two')])).toEqual([]);
  expect(await run('two')).toEqual({ result: 'two' });
  expect(host.setTools([makeTool('two'), makeTool('three')])).toEqual([]);
  expect((await run('one')).error).toMatchObject({ code: 'unknown_tool' });
  expect(await run('three')).toEqual({ result: 'three' });
  expect(await run('fixed')).toEqual({ result: 'fixed' });
});

test('[AGT4, PLG2] an invalid tool is left out by name, and replaces no other', async () => {
  const wrong = [
    makeTool('taken'),
    makeTool('fixed'),
    makeTool('no name'),
    makeTool('typo', { aproval: 'always' } as never),
  ];
  const refused = host.setTools([...wrong, makeTool('fine'), makeTool('ruled', { rules: () => [] })]);
  expect(refused.map(({ name }) => name)).toEqual(['taken', 'fixed', 'no name', 'typo', 'ruled']);
  expect(refused[0]?.reason).toContain('plugin "other" both have a tool "taken"');
  expect(await run('fine')).toEqual({ result: 'fine' });
  expect(await run('taken')).toEqual({ result: 'taken' });
});

test('[AGT4] a call that has begun continues with the tool that it began with', async () => {
  host.setTools([makeTool('asked', { approval: 'always', handler: () => 'as asked' })]);
  const journey = await Journey.begin(server);
  const prompt = await journey.ask('asked');
  host.setTools([]);
  await journey.answer(prompt, { action: 'approve' });
  expect(await journey.outcome()).toEqual({ result: 'as asked' });
});

test('[APR3] a tool that changed is asked about whatever allows it, and no earlier grant covers it', async () => {
  const set = (revision: string, isChanged: boolean) => host.setTools([makeTool('changed', { revision, isChanged })]);
  set('1', false);
  expect(await run('changed')).toEqual({ result: 'changed' }); // a policy allows it
  set('2', true);
  const journey = await Journey.begin(server);
  const prompt = await journey.ask('changed');
  await journey.answer(prompt, { action: 'approve', approvalScope: 'session' });
  expect(await journey.outcome()).toEqual({ result: 'changed' });
  expect(await journey.run('changed')).toEqual({ result: 'changed' }); // the grant is of this revision
  set('3', true);
  const { seq } = await journey.call('changed');
  await journey.answer(await journey.tab.prompt(journey.session, seq), { action: 'deny' });
});

test('[APR3, AGT4] a call that a grant permits is asked about if its tool changed before it began', async () => {
  const set = (revision: string, isChanged = false) =>
    host.setTools([makeTool('kept', { revision, isChanged, approval: 'always', handler: () => `as ${revision}` })]);
  set('1');
  const journey = await Journey.begin(server);
  await journey.answer(await journey.ask('kept'), { action: 'approve', approvalScope: 'session' });
  expect(await journey.outcome()).toEqual({ result: 'as 1' });
  meanwhile = () => set('2', true);
  const prompt = await journey.ask('kept');
  meanwhile = () => set('3');
  await journey.answer(prompt, { action: 'approve' });
  expect(await journey.outcome(prompt)).toEqual({ result: 'as 2' }); // as shown when it was asked about
});
