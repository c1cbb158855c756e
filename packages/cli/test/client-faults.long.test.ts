import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createSocketServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { createToken, runParley } from '../../server/test/support/command.ts';
import { Journey } from '../../server/test/support/journey.ts';
import { useServer } from '../../server/test/support/use-server.ts';
import { lineOf } from '../src/io/topic.ts';
import { addressHint, tokenHint } from '../src/running-server/running-server.ts';

const server = useServer({ args: [] });
const place = () => ['--port', String(server.ready.port), '--data-dir', server.dataDir];

let journey: Journey;
beforeAll(async () => {
  journey = await Journey.begin(server, { hello: { token: server.ready.token } });
});

/** Commands that use a server, with their exit code for errors that have no other code. */
const clients = [
  [['chat'], 5],
  [['tail', 'x'], 5],
  [['inbox'], 1],
  [['grants', 'list'], 1],
] as const;

/** Runs the command against a port, with an empty data directory. */
async function runAt(port: number, words: readonly string[]) {
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-test-'));
  onTestFinished(() => rm(dataDir, { recursive: true }));
  return runParley(...words, '--port', String(port), '--data-dir', dataDir);
}

async function listen(listener: Server): Promise<number> {
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  onTestFinished(() => void listener.close());
  return (listener.address() as AddressInfo).port;
}

describe.each(clients)('parley %s', ([...words], other) => {
  test('[ASK8] reports the address at which nobody answers', async () => {
    const closed = createSocketServer();
    const port = await listen(closed);
    await new Promise((resolve) => closed.close(resolve));
    expect(await runAt(port, words)).toEqual({
      code: other === 5 ? 4 : 1,
      stdout: '',
      stderr: `parley: No server answers at 127.0.0.1:${port}. ${addressHint}\n${lineOf('no-server')}`,
    });
  });

  test('[ASK8] reports that another program answers', async () => {
    const page = createServer((_, response) => response.end('<h1>Hello</h1>'));
    const mail = createSocketServer((socket) => socket.on('error', () => {}).end('220 mail.test ESMTP\r\n'));
    for (const port of [await listen(page), await listen(mail)]) {
      expect(await runAt(port, words)).toEqual({
        code: other,
        stdout: '',
        stderr: `parley: What listens at 127.0.0.1:${port} is not a Parley server that can be asked.\n${lineOf('not-parley')}`,
      });
    }
  });

  test('[ASK8] explains what to do about a wrong token', async () => {
    expect(await runParley(...words, ...place(), '--token', 'not-the-token-of-it')).toEqual({
      code: other,
      stdout: '',
      stderr: `parley: A valid token is needed. ${tokenHint}\n${lineOf('token-unknown')}`,
    });
  });
});

test('[ASK8] a URL is not a host', async () => {
  expect(await runParley('tail', 'x', '--host', 'http://localhost:7420')).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/^parley: --host: must be a name or an address alone/),
  });
});

test.each([['chat'], ['tail', 'x'], ['grants', 'list']])(
  '[ASK8, FRM3] parley %s reports that the server is of another release',
  async (...words) => {
    const other = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    other.on('connection', (socket) => {
      const error = {
        type: 'error',
        code: 'unsupported_protocol',
        message: 'This protocol version is not spoken here.',
      };
      socket.send(JSON.stringify(error));
      socket.close(4426);
    });
    const { stdout, stderr } = await runAt((other.address() as AddressInfo).port, words);
    expect([stdout, stderr]).toEqual([
      '',
      expect.stringMatching(
        /^parley: This protocol version is not spoken here\. It is of another release than this command \(\d.+\): update the older one\.\n$/,
      ),
    ]);
  },
);

test('[ASK8, SEC4] a role without permission is reported, and a session that may not be seen does not exist', async () => {
  const asker = await createToken(server.dataDir, '--role', 'asker');
  const viewer = await createToken(server.dataDir, '--role', 'viewer', '--sessions', journey.session);
  const tab = await server.open({ hello: { token: server.ready.token } });
  const hidden = await tab.createSession();
  const as = (token: string, ...words: string[]) => runParley(...words, ...place(), '--token', token);
  const forbidden = { code: 5, stdout: '', stderr: expect.stringMatching(/^parley: Your role does not allow this\./) };
  expect(await as(asker.token, 'chat')).toMatchObject(forbidden);
  expect(await as(viewer.token, 'chat')).toMatchObject(forbidden);
  expect(await as(viewer.token, 'tail', journey.session, '--no-follow')).toMatchObject({ code: 0 });
  expect(await as(viewer.token, 'tail', hidden, '--no-follow')).toEqual({
    code: 5,
    stdout: '',
    stderr: `parley: There is no session "${hidden}" that you may see.\n`,
  });
  expect(await as(asker.token, 'inbox')).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/role/) });
});
