import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { filesWith } from '../support/files-with.ts';
import { pluginPath } from '../support/journey.ts';
import { startServer } from '../support/use-server.ts';

const plugins = [pluginPath('durable.mjs')];
const canary = 'CANARY-5f1e-swordfish';

test('[INT17, SEC8] a secret reaches its handler, and no file, log or frame', async () => {
  const server = await startServer({ plugins });
  const [tab, other] = await Promise.all([server.open(), server.open()]);
  const session = await tab.createSession();
  await Promise.all([tab.follow(session), other.follow(session)]);
  await tab.say(session, '/call log_in {}');
  const form = await tab.prompt(session);
  await tab.answer(session, form, { action: 'submit', input: { user: 'ada', password: canary } });
  const approval = await tab.event(session, 'interaction_request', (event) => event.payload.slot === 'go');
  expect(approval.payload.prompt).toBe('Use [redacted]?');
  await tab.answer(session, approval.payload, { action: 'approve' });

  const result = await tab.event(session, 'tool_result');
  expect(result.payload.result).toEqual({ ok: true, length: canary.length, echo: '[redacted]' });
  await tab.event(session, 'turn_end');
  const response = await other.event(session, 'interaction_response');
  expect(response.payload.input).toEqual({ user: 'ada', password: { redacted: true } });
  for (const frames of [tab.frames, other.frames]) expect(JSON.stringify(frames)).not.toContain(canary);
  expect(server.stderr.join('')).not.toContain(canary);
  expect(await filesWith(server.dataDir, canary)).toEqual([]);
  expect(await filesWith(server.dataDir, 'ada')).not.toEqual([]); // proves that the search works
});

test('[INT17, RPL3] after kill -9 a secret is asked for again, with the reason, and other values are kept', async () => {
  const server = await startServer({ plugins });
  const tab = await server.open();
  const session = await tab.createSession();
  await tab.follow(session);
  await tab.say(session, '/call log_in {}');
  await tab.answer(session, await tab.prompt(session), { action: 'submit', input: { user: 'ada', password: canary } });
  await tab.event(session, 'interaction_request', (event) => event.payload.slot === 'go');
  await server.restart();
  const back = await server.open();
  await back.follow(session);
  const again = await back.event(session, 'interaction_request', (event) => event.payload.attempt === 2);
  expect(again.payload).toMatchObject({
    slot: 'login',
    initialValues: { user: 'ada' },
    error: expect.stringContaining('secret'),
  });
  await back.answer(session, again.payload, { action: 'submit', input: { user: 'ada', password: canary } });
  const approval = (await back.waitFor('welcome')).open.find(({ interaction }) => interaction.slot === 'go');
  await back.answer(session, approval?.interaction as never, { action: 'approve' });
  const result = await back.event(session, 'tool_result');
  expect(result.payload.result).toMatchObject({ ok: true, echo: '[redacted]' });
});

test('[DUR3] a step runs once: a re-entered call gets its recorded value', async () => {
  const server = await startServer({ plugins });
  const tab = await server.open();
  const session = await tab.createSession();
  await tab.follow(session);
  const file = join(server.dataDir, 'payments.txt');
  await tab.say(session, `/call pay_once ${JSON.stringify({ file })}`);
  const prompt = await tab.prompt(session);
  await server.restart();
  const back = await server.open();
  await back.follow(session);
  await back.answer(session, prompt, { action: 'approve' });
  const result = await back.event(session, 'tool_result');
  expect(result.payload.result).toMatchObject({ isFine: true, receipt: expect.any(String), at: expect.any(Number) });
  expect(await readFile(file, 'utf8')).toBe('paid\n');
});
