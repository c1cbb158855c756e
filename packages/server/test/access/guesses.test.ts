import { afterAll, beforeAll, expect, test } from 'vitest';
import { failToStart } from '../support/fail-to-start.ts';
import { ServerProcess } from '../support/server-process.ts';
import { Tab } from '../support/tab.ts';

let server: ServerProcess;
beforeAll(async () => {
  server = await ServerProcess.start({ args: [] });
});
afterAll(() => server.remove());

const show = (token: string) => fetch(`${server.httpUrl}/metrics`, { headers: { Authorization: `Bearer ${token}` } });

test('[SEC2] the log names the address and login method of a guesser, never the token, and does not grow with the guesses', async () => {
  const tab = await Tab.open(server.socketUrl, { hello: null });
  tab.send({ type: 'hello', protocol: 1, token: 'guess-at-hello' });
  expect(await tab.closed()).toBe(4401);
  for (let n = 0; n < 10; n += 1) expect((await show(`guess-${n}`)).status).toBe(401);
  for (let n = 0; n < 20; n += 1) {
    const refused = await show(`guess-again-${n}`);
    expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([429, Math.min(60 * 2 ** n, 3600)]);
  }
  expect((await show(server.ready.token as string)).status).toBe(200);
  await server.says('too many wrong tokens');
  await server.kill('SIGTERM');
  const text = server.stderr.join('');
  const lines = text.split('\n').filter((line) => line.includes('wrong token'));
  expect(text).not.toContain('guess-');
  const entries = lines.map((line) => JSON.parse(line)).map(({ door, address, waitMs }) => [door, address, waitMs]);
  const from = '127.0.0.1';
  expect(entries).toEqual([
    ['hello', from, undefined],
    ...Array(10).fill(['bearer', from, undefined]),
    ...[60, 120, 240, 480, 960, 1920, 3600].map((seconds) => ['bearer', from, seconds * 1000]),
  ]);
});

test.each([
  ['a'.repeat(40), 'must have at least 5 different characters'],
  ['abababababababababab', 'must have at least 5 different characters'],
  ['too-short', 'must have at least 16 characters'],
])('[SEC2, OPS2] the token %s is refused at the start', async (token, said) => {
  const { code, stderr } = await failToStart({ args: ['--token', token] });
  expect([code, stderr]).toEqual([2, expect.stringContaining(`--token: ${said}`)]);
});

test.each(['secret-token-for-tests', '0123456789abcdef', 'correct horse battery staple'])(
  '[SEC2] the token %s is one that a person may choose',
  async (token) => {
    const own = await ServerProcess.start({ args: ['--token', token] });
    expect(own.ready.token).toBe(token);
    await own.remove();
  },
);
