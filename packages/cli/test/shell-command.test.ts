import { afterEach, expect, test } from 'vitest';
import { isAlive } from '../../../plugins/shell/test/is-alive.ts';
import { Journey } from '../../server/test/support/journey.ts';
import { ServerProcess, type StartOptions } from '../../server/test/support/server-process.ts';

const token = 'canary-token-0123456789';
const hello = { hello: { token } };
const cases: [string, StartOptions][] = [
  ['its environment', { env: { PARLEY_TOKEN: token, DATABASE_URL: token }, args: [] }],
  ['its arguments', { args: ['--token', token] }],
];
let server: ServerProcess;
afterEach(() => server.remove());

test.each(cases)('[SEC8] no command can read the token that the server got in %s', async (_, options) => {
  server = await ServerProcess.start(options);
  const journey = await Journey.begin(server, hello);
  const command = 'echo seen; env; cat /proc/$PPID/environ /proc/$PPID/cmdline | tr "\\0" "\\n"';

  await journey.answer(await journey.ask('run_command', { command }), { action: 'approve' });

  const { result } = await journey.outcome();
  expect(result).toMatchObject({ exitCode: 0, output: expect.stringContaining('seen') });
  expect((result as { output: string }).output).not.toMatch(/canary|redacted/);
});

test('[SEC8] the token is redacted in the output and the stream of a command', async () => {
  server = await ServerProcess.start({ args: ['--token', token] });
  const journey = await Journey.begin(server, hello);
  await journey.answer(await journey.ask('run_command', { command: 'echo canary-token-01234567"8"9' }), {
    action: 'approve',
  });
  expect(await journey.outcome()).toMatchObject({ result: { output: '[redacted]\n' } });
  const streamed = journey.tab.frames.flatMap((frame) => (frame.type === 'stream' ? [frame.text] : []));
  expect(streamed.join('')).not.toContain(token);
});

test('[DUR4] a command has ended before anybody is asked whether to run it again', async () => {
  server = await ServerProcess.start();
  let journey = await Journey.begin(server);
  const command = 'trap "" TERM HUP; sleep 60 & echo $$ $!; wait';
  await journey.answer(await journey.ask('run_command', { command }), { action: 'approve' });
  const frame = await journey.tab.until((candidate) => candidate.type === 'stream' && candidate.kind === 'tool_output');
  const pids = String('text' in frame && frame.text)
    .trim()
    .split(' ')
    .map(Number);
  expect(pids.map(isAlive)).toEqual([true, true]);

  await server.kill();
  await server.restart();
  journey = await journey.join(server);

  const { payload } = await journey.event(
    'interaction_request',
    ({ payload: { source } }) => source.kind === 'recovery',
  );
  expect(payload.toolName).toBe('run_command');
  expect(pids.map(isAlive)).toEqual([false, false]);
});
