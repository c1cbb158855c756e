import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Journey, pluginPath } from '../support/journey.ts';
import { startServer, useServer } from '../support/use-server.ts';

const plugins = [pluginPath('approve.mjs')];
const server = useServer({ plugins });

const setMode = ({ tab, session }: Journey, permissionMode: 'plan' | 'bypassPermissions' | 'acceptEdits') =>
  tab.ask({ type: 'update_session', sessionId: session, permissionMode });

/** Returns the `authorised` of a call's event; a prompt of the gate gets this answer. */
async function authorisedOf(journey: Journey, toolName: string, answer?: object): Promise<object> {
  const { seq } = await journey.call(toolName, { path: 'x' });
  const { payload } = await journey.event('tool_call', undefined, seq);
  if (answer) await journey.answer(await journey.tab.prompt(journey.session, seq), answer);
  await journey.event('turn_end', undefined, seq);
  return payload.authorised;
}

test("[APR3, EVT1] a call's event records what authorised it: its tool, a person, a grant or the mode", async () => {
  const journey = await Journey.begin(server);
  expect(await authorisedOf(journey, 'free')).toEqual({ by: 'tool' });
  expect(await authorisedOf(journey, 'no_such_tool')).toEqual({ by: 'tool' });
  const { seq } = await journey.call('guarded', { path: 'x' });
  const call = await journey.event('tool_call', undefined, seq);
  const prompt = await journey.tab.prompt(journey.session, seq);
  expect(call.payload.authorised).toEqual({ by: 'person', interactionId: prompt.interactionId });
  await journey.answer(prompt, { action: 'approve', approvalScope: 'session' });
  await journey.event('turn_end', undefined, seq);
  const grantId = await journey.grantOf(prompt);
  expect(await authorisedOf(journey, 'guarded')).toEqual({ by: 'grant', grantId });
  expect(await authorisedOf(journey, 'edit_file', { action: 'deny' })).toMatchObject({ by: 'person' });
  await setMode(journey, 'acceptEdits');
  expect(await authorisedOf(journey, 'edit_file')).toEqual({ by: 'mode' });
  await setMode(journey, 'bypassPermissions');
  expect(await authorisedOf(journey, 'guarded')).toEqual({ by: 'mode' });
  await setMode(journey, 'plan');
  expect(await authorisedOf(journey, 'free')).toEqual({ by: 'mode' });
});

test('[APR3] a call decided by a policy records that, whatever the policy decides', async () => {
  const own = await startServer({ plugins });
  const config = join(own.dataDir, 'parley.config.json');
  const policies = [
    { tool: 'guarded', effect: 'allow' },
    { tool: 'free', effect: 'ask' },
    { tool: 'edit_*', effect: 'deny' },
  ];
  await writeFile(config, JSON.stringify({ policies }));
  await own.restart({ args: ['--no-auth', '--config', config] });
  const journey = await Journey.begin(own);
  expect(await authorisedOf(journey, 'guarded')).toEqual({ by: 'policy' });
  expect(await authorisedOf(journey, 'free', { action: 'deny' })).toMatchObject({ by: 'person' });
  expect(await authorisedOf(journey, 'edit_file')).toEqual({ by: 'policy' });
});

test('[APR3] the policies in the documentation ask, allow and deny', async () => {
  const own = await startServer({ args: ['--no-auth', '--config', 'docs/examples/policies.config.json'] });
  const journey = await Journey.begin(own);
  const denied = await journey.run('run_command', { command: 'true' });
  expect(denied.error).toEqual({ code: 'denied', message: 'A policy of this server denies "run_command".' });
  await journey.event('turn_end');
  const prompt = await journey.ask('delete_files', { files: ['notes.txt'] });
  expect(prompt).toMatchObject({ source: { kind: 'policy' }, interactionId: `${prompt.toolCallId}.0` });
});
