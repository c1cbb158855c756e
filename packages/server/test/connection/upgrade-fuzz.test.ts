import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { Random } from '../support/random.ts';
import { rawRequest, upgradeLines } from '../support/raw-http.ts';
import { useServer } from '../support/use-server.ts';

/** `npm run test:soak` raises it. */
const upgradeCount = Number(process.env.PARLEY_UPGRADES ?? 500);
const seed = Number(process.env.PARLEY_SEED ?? Date.now() % 1_000_000);
const together = 25;

const server = useServer();

const oddities = [
  '',
  ' ',
  '\0',
  '\x7f\xff',
  '\r',
  '\n',
  ':',
  '%',
  '//',
  '[',
  '-1',
  '1e9',
  'null',
  'x'.repeat(20_000),
  '\u{1F600}',
];
const names = ['Host', 'Origin', 'Upgrade', 'Connection', 'Sec-WebSocket-Key', 'Sec-WebSocket-Version', 'Cookie'];
const more = [
  'Sec-WebSocket-Extensions: permessage-deflate',
  'Authorization: Bearer x',
  'Content-Length: 5',
  'Transfer-Encoding: chunked',
];

/** Returns an upgrade with random faults, sometimes followed by a frame. */
function mutate(random: Random): Buffer {
  const lines = upgradeLines([`Host: 127.0.0.1:${server.ready.port}`]);
  for (let changes = random.below(4); changes >= 0; changes -= 1) {
    const at = random.below(lines.length);
    const line = lines[at] ?? '';
    switch (random.below(7)) {
      case 0:
        lines.splice(at, 1);
        break;
      case 1:
        lines.push(line);
        break;
      case 2:
        lines[at] = line.slice(0, random.below(line.length + 1));
        break;
      case 3:
        lines.push(`${random.pick(names)}: ${random.pick(oddities)}`);
        break;
      case 4:
        lines.push(random.pick(more));
        break;
      case 5:
        lines[0] = `${random.pick(['GET', 'POST', 'PRI', 'x'])} ${random.pick(['/ws', '//[', '/%ff', '*', '/ws?x'])} HTTP/${random.pick(['1.1', '1.0', '2', 'x'])}`;
        break;
      default:
        lines[at] = line.replace(/[:/. ]/, random.pick(oddities));
    }
  }
  const behind = Buffer.from(Array.from({ length: random.below(3) * 20 }, () => random.below(256)));
  const whole = Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), behind]);
  return random.below(8) === 0 ? whole.subarray(0, random.below(whole.length)) : whole;
}

/** Sends an upgrade. @returns what came back until the connection was closed */
function send(bytes: Buffer): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ port: server.ready.port, host: '127.0.0.1', allowHalfOpen: true });
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('error', () => socket.destroy()); // being cut off counts as an answer
    socket.on('close', () => resolve(text));
    socket.end(bytes);
  });
}

const title = `[SEC3] ${upgradeCount} malformed upgrades break nothing: each is answered or cut off`;
test(title, { timeout: 60_000 + 20 * upgradeCount }, async () => {
  const random = new Random(seed);
  const statuses = new Set<string>();
  for (let sent = 0; sent < upgradeCount; sent += together) {
    const answers = await Promise.all(Array.from({ length: together }, () => send(mutate(random))));
    for (const answer of answers) statuses.add(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? answer.slice(0, 20));
  }
  expect(
    [...statuses].filter((status) => !/^[1-4]\d\d$|^$/.test(status)),
    `PARLEY_SEED=${seed}`,
  ).toEqual([]);
  expect([...statuses], `PARLEY_SEED=${seed}`).toEqual(expect.arrayContaining(['101', '400', '403']));
  const log = server.stderr.join('').trim().split('\n');
  expect(
    log.filter((line) => line !== '' && JSON.parse(line).level >= 50),
    `PARLEY_SEED=${seed}`,
  ).toEqual([]);
  const { status } = await rawRequest(server.ready.port, upgradeLines([`Host: 127.0.0.1:${server.ready.port}`]));
  expect(status).toBe(101);
});
