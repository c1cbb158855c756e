import { once } from 'node:events';
import { protocolVersion, type SocketLine } from '@parleyhq/core';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { LocalServer, useLocalServer } from '../support/local-server.ts';

const lines: string[] = [];
const ended: string[] = [];

/** Speaks words: `hello` greets the server, `fail` throws, everything else comes back. */
const translate = (line: SocketLine) => ({
  fromClient(text: string) {
    if (text === 'fail') throw new Error('cannot be translated');
    if (text === 'hello') line.toServer(JSON.stringify({ type: 'hello', protocol: protocolVersion, label: 'words' }));
    else line.toClient(`${text} at ${line.pageUrl}`);
  },
  fromServer: (frame: string) => line.toClient(`server: ${JSON.parse(frame).type}`),
  end: () => void ended.push('end'),
});

const words = {
  name: 'words',
  tools: [],
  sockets: [
    { path: 'talk', translate },
    { path: '/talk', translate },
  ],
};
const server = useLocalServer({
  plugins: [words],
  framesPerSecond: 20,
  log: pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) }),
});

async function open(path = '/talk') {
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}${path}`);
  onTestFinished(() => socket.terminate());
  const heard: string[] = [];
  socket.on('message', (data) => heard.push(String(data)));
  await once(socket, 'open');
  return { socket, heard };
}

test.each(['/talk', '/plugins/words/talk'])('[PLG14] a plugin translates what clients of %s say', async (path) => {
  const { socket, heard } = await open(path);
  socket.send('hello');
  socket.send('Who is there?');
  await expect.poll(() => heard).toEqual([`Who is there? at ${server.url}`, 'server: welcome']);
  socket.close();
  await expect.poll(() => ended.length).toBeGreaterThan(0);
});

test('[PLG14, SEC6] whoever sends too fast waits, and nothing is lost', async () => {
  const { socket, heard } = await open();
  socket.send('hello');
  const sent = Array.from({ length: 95 }, (_, n) => `${n}`);
  for (const text of sent) socket.send(text);
  await expect.poll(() => heard.filter((text) => !text.startsWith('server: ')), { timeout: 20_000 }).toHaveLength(95);
  expect(heard.filter((text) => !text.startsWith('server: '))).toEqual(sent.map((text) => `${text} at ${server.url}`));
});

test('[PLG14] a translation that fails ends its own connection, and the log says so', async () => {
  const { socket } = await open();
  socket.send('fail');
  const [code] = await once(socket, 'close');
  expect(code).toBe(4500);
  expect(lines.join('')).toContain('the translation of a socket failed');
});

test.each([
  [
    [words, { ...words, name: 'other', sockets: [{ path: '/talk', translate }] }],
    'Plugin "other" and plugin "words" both have a socket /talk.',
  ],
  [[{ ...words, sockets: [{ path: '/ws', translate }] }], 'the server has "/ws" for itself'],
  [
    [{ ...words, sockets: [{ path: '/talk' } as never] }],
    'socket "/talk": it has no "translate", which must be a function.',
  ],
])('[PLG14, PLG2] a wrong socket does not start: %#', async (plugins, reason) => {
  await expect(async () => new LocalServer({ plugins }).start()).rejects.toThrow(reason);
});
