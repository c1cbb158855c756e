import { spawn } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import { ServerProcess } from '../../packages/server/test/support/server-process.ts';
import { pathOf } from './test/talk.ts';

/** The client in a terminal where somebody answers each question with the next line. */
async function talk(server: ServerProcess, text: string, lines: string[]): Promise<string> {
  const token = server.ready.token ?? '';
  const child = spawn(process.execPath, [pathOf('client.mjs'), server.socketUrl, text, token]);
  let output = '';
  const hear = (chunk: Buffer) => {
    output += String(chunk);
    if (/[:?] $/.test(output)) child.stdin.write(`${lines.shift()}\n`);
  };
  child.stdout.on('data', hear);
  child.stderr.on('data', hear);
  await new Promise((resolve) => child.on('close', resolve));
  return output;
}

test('[FRM2] the client of the protocol page says hello, asks, answers and leaves', async () => {
  const server = await ServerProcess.start({
    plugins: [pathOf('hello.mjs'), pathOf('release.ts')],
    args: ['--token', 'a-token-for-this-test'],
  });
  onTestFinished(() => server.remove());
  expect(await talk(server, '/call greet', ['Ada'])).toContain(
    'What is your name?\nName: greet returned: "Hello, Ada!"',
  );
  const denied = await talk(server, '/call publish {"version":"1.0.0"}', ['deny']);
  expect(denied).toContain('publish returned: {"error":{"code":"denied","message":"A person said no."}}');
});
