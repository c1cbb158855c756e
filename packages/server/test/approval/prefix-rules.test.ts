import { afterAll, beforeAll, expect, test } from 'vitest';
import { Journey } from '../support/journey.ts';
import { ServerProcess } from '../support/server-process.ts';

let server: ServerProcess;
beforeAll(async () => {
  server = await ServerProcess.start();
});
afterAll(() => server.remove());

test('[APR7] a prefix that was allowed runs commands with other arguments, and asks about everything else', async () => {
  const journey = await Journey.begin(server);
  const first = await journey.ask('run_command', { command: 'echo one' });
  expect(first).toMatchObject({
    approvalScopes: ['once'],
    rules: [{ id: 'prefix', label: expect.stringMatching(/^`echo` with any arguments, in \//), scopes: ['session'] }],
  });
  await journey.answer(first, { action: 'approve', approvalScope: 'session', ruleId: 'prefix' });
  expect(await journey.outcome(first)).toMatchObject({ result: { output: 'one\n' } });
  await journey.event('turn_end');
  expect(await journey.run('run_command', { command: "echo 'two; three'" })).toMatchObject({
    result: { output: 'two; three\n' },
  });
  for (const command of ['echo two; echo three', 'echo $(pwd)', 'echo two > file', 'env echo two', 'echo *']) {
    const prompt = await journey.ask('run_command', { command });
    expect(prompt.rules, command).toBeUndefined();
    await journey.answer(prompt, { action: 'deny' });
  }
});
