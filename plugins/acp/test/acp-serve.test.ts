import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { Readable, Writable } from 'node:stream';
import { ndJsonStream } from '@agentclientprotocol/sdk';
import { type ParleyProcess, startParley } from '@parleyhq/client/process';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { AcpClient, choose, patience } from './acp-client.ts';

const timeout = 60_000;
const token = 'parley_of_the_owner';

let server: ParleyProcess;

beforeAll(async () => {
  server = await startParley({ token });
}, timeout);
afterAll(() => server.stop());

/** `parley acp-serve`, as an editor starts it. */
class Served {
  readonly child: ChildProcess & { readonly stdin: Writable; readonly stdout: Readable };
  readonly exited: Promise<number | null>;
  stderr = '';

  constructor(given: string | undefined = token) {
    const place = ['--port', new URL(server.url).port, '--data-dir', server.dataDir];
    const env = { ...process.env, PARLEY_TOKEN: given };
    const child = spawn(process.execPath, [server.command, 'acp-serve', ...place], { env, stdio: 'pipe' });
    this.child = child;
    this.exited = new Promise((resolve) => {
      child.once('close', resolve);
    });
    child.stderr.on('data', (chunk) => {
      this.stderr += String(chunk);
    });
    onTestFinished(() => void child.kill('SIGKILL'));
  }

  connect(): Promise<AcpClient> {
    const { stdin, stdout } = this.child;
    return AcpClient.over(ndJsonStream(Writable.toWeb(stdin), Readable.toWeb(stdout) as ReadableStream<Uint8Array>));
  }
}

test('[ACP3] an editor starts the command, talks, and answers; a tab sees it; the end of the editor ends the command', {
  timeout,
}, async () => {
  const served = new Served();
  const editor = await served.connect();
  const sessionId = await editor.create();
  const tab = await server.join(sessionId);
  const ending = editor.prompt(sessionId, '/call run_command {"command": "echo from the editor"}');
  (await editor.question(0)).answer(choose('once'));
  expect(await ending).toBe('end_turn');
  expect(editor.text('agent_message_chunk')).toContain('from the editor');
  expect((await tab.event('interaction_response')).payload.by).toMatchObject({ label: 'editor', principal: 'owner' });
  served.child.stdin.end();
  expect(await served.exited).toBe(0);
});

test('[ACP3, SEC6] a message above the limit gets an error, and the connection lives', { timeout }, async () => {
  const { child } = new Served();
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const call = async (message: object) => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    return JSON.parse((await lines.next()).value);
  };
  const params = { protocolVersion: 1, filler: 'x'.repeat(300_000) };
  expect(await call({ id: 1, method: 'initialize', params })).toMatchObject({ id: 1, error: { code: -32_600 } });
  expect(await call({ id: 2, method: 'initialize', params: { protocolVersion: 1 } })).toMatchObject({
    id: 2,
    result: {},
  });
});

test('[ACP3, SEC4] without a token of a person the command ends, and says what is missing', { timeout }, async () => {
  const asker = JSON.parse((await server.run('token', 'create', '--role', 'asker', '--json')).stdout).token as string;
  const [wrong, asking] = [new Served('parley_of_somebody_else'), new Served(asker)];
  for (const { child } of [wrong, asking]) child.stdin.write('{"jsonrpc":"2.0","id":0,"method":"initialize"}\n');
  expect(await Promise.all([wrong.exited, asking.exited])).toEqual([1, 1]);
  expect(wrong.stderr).toContain('A valid token is needed.');
  expect(asking.stderr).toContain('a token of a person is needed');
});

test('[ACP3] the command ends with its server, and the next one finds the question open', { timeout }, async () => {
  const served = new Served();
  const editor = await served.connect();
  const sessionId = await editor.create();
  editor.prompt(sessionId, '/call run_command {"command": "echo again"}').catch(() => undefined);
  await editor.question(0);
  await server.restart();
  expect(await served.exited).toBe(1);
  expect(served.stderr).toContain('The server ended the connection');
  const next = await new Served().connect();
  await next.load(sessionId);
  (await next.question(0)).answer(choose('once'));
  await expect.poll(() => next.text('agent_message_chunk'), patience).toContain('again');
});
