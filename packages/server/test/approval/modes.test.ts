import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Journey, pluginPath } from '../support/journey.ts';
import { startServer, useServer } from '../support/use-server.ts';

const plugins = [pluginPath('approve.mjs')];
const server = useServer({ plugins });

const setMode = (journey: Journey, permissionMode: string) =>
  journey.tab.request({ type: 'update_session', sessionId: journey.session, permissionMode } as never);

/** Calls a tool, and denies its prompt if it asks. */
async function call(journey: Journey, toolName: string): Promise<'asked' | unknown> {
  const { seq } = await journey.call(toolName, { path: 'x' });
  const isOver = ({ type }: { type: string }) => type === 'interaction_request' || type === 'tool_result';
  await journey.tab.until(
    (frame) =>
      frame.type === 'chat_event' &&
      frame.sessionId === journey.session &&
      frame.event.seq > seq &&
      isOver(frame.event),
  );
  const [request] = journey.events('interaction_request').filter((event) => event.seq > seq);
  if (request?.type === 'interaction_request') await journey.answer(request.payload, { action: 'deny' });
  const { result, error } = (await journey.event('tool_result', undefined, seq)).payload;
  await journey.event('turn_end', undefined, seq);
  return request ? 'asked' : (error?.code ?? result);
}

const approved = expect.objectContaining({ approved: true, scope: 'once' });
test.each([
  ['default', { guarded: 'asked', wipe: 'asked', edit_file: 'asked', free: 'ran', look: 'seen' }],
  ['acceptEdits', { guarded: 'asked', wipe: 'asked', edit_file: 'edited', free: 'ran' }],
  ['plan', { guarded: 'denied', wipe: 'denied', edit_file: 'denied', free: 'denied', look: 'seen' }],
  ['bypassPermissions', { guarded: 'ran', wipe: approved, edit_file: 'edited', free: 'ran' }],
])('[APR3] mode %s decides which calls are asked about', async (mode, expected) => {
  const journey = await Journey.begin(server);
  expect(await setMode(journey, mode)).toMatchObject({ ok: true });
  for (const [toolName, outcome] of Object.entries(expected)) {
    expect([toolName, await call(journey, toolName)]).toEqual([toolName, outcome]);
  }
});

test('[APR3, APR6] a mode set while an approval is open affects the next call, and answers no prompt', async () => {
  const journey = await Journey.begin(server);
  const prompt = await journey.ask('guarded');
  expect(prompt.interactionId).toBe(`${prompt.toolCallId}.0`);
  await setMode(journey, 'bypassPermissions');
  expect(journey.settlements(prompt)).toEqual([]);
  await journey.answer(prompt, { action: 'deny', reason: 'No.' });
  expect((await journey.outcome(prompt)).error).toEqual({ code: 'denied', message: 'No.' });
  await journey.event('turn_end');
  expect(await call(journey, 'guarded')).toBe('ran');
});

test('[APR3] policies of the config override tools and modes, also after a restart', async () => {
  const own = await startServer({ plugins });
  const policies = [
    { tool: '*', effect: 'allow' },
    { tool: 'fre?', effect: 'ask' },
    { tool: 'edit_*', effect: 'deny' },
  ];
  const config = join(own.dataDir, 'parley.config.json');
  await writeFile(config, JSON.stringify({ policies }));
  await own.restart({ args: ['--no-auth', '--config', config] });
  const journey = await Journey.begin(own);
  for (const mode of ['default', 'bypassPermissions']) {
    await setMode(journey, mode);
    expect(await call(journey, 'guarded')).toBe('ran');
    expect(await call(journey, 'wipe')).toEqual(approved);
    expect(await call(journey, 'free')).toBe('asked');
    expect(await call(journey, 'edit_file')).toBe('denied');
  }
});
