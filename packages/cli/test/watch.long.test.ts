import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Journey } from '../../server/test/support/journey.ts';
import { makeFolder, pluginOf } from '../../server/test/support/plugin-file.ts';
import { type ServerProcess, spawnServer } from '../../server/test/support/server-process.ts';
import { Tab, type TabOptions } from '../../server/test/support/tab.ts';
import { startServer } from '../../server/test/support/use-server.ts';

const plugin = (word: string) => `export default { name: 'changing', tools: [
  { name: 'tell', description: 'x', parameters: { type: 'object' }, handler: () => '${word}' },
  { name: 'ask', description: 'x', parameters: { type: 'object' }, durable: true,
    handler: (_, ctx) => ctx.requestInteraction({ type: 'approval', title: 'Sure?', timeoutMs: null,
      onResponse: ({ action }) => ({ complete: '${word} ' + action }) }) },
] };`;

test('[OPS2, PLG4] --watch starts again when a plugin changes: same port, tabs reconnect, prompts are still open', async () => {
  const file = pluginOf(plugin('old'));
  const server = await startServer({ plugins: [file], args: ['--no-auth', '--watch'] });
  const tab = await server.open();
  const session = await tab.createSession();
  await tab.follow(session);
  await tab.say(session, '/call tell {}');
  expect((await tab.event(session, 'tool_result')).payload.result).toBe('old');
  const { seq } = await tab.event(session, 'turn_end');
  await tab.say(session, '/call ask {}');
  const prompt = await tab.prompt(session);

  await writeFile(file, 'export default {'); // incomplete, so the server cannot start
  expect(await tab.closed()).toBe(1012);
  await server.says('waiting for a change');
  await writeFile(file, plugin('new'));
  const back = await reconnect(server);
  await back.follow(session);
  expect(await back.answer(session, prompt, { action: 'approve' })).toMatchObject({ ok: true });
  const result = await back.event(session, 'tool_result', undefined, seq);
  expect(result.payload.result).toBe('new approve');
  const lines = server.stdout.join('\n').trim().split(/\n+/);
  expect(lines.map((line) => JSON.parse(line))).toEqual([server.ready, { ...server.ready, pid: expect.any(Number) }]);
  expect(JSON.parse(lines[1] ?? '').pid).not.toBe(server.ready.pid);
  expect(await server.kill('SIGTERM')).toBe(0);
});

test('[OPS2, PLG4] without --json the greeting is printed once, and one line after each restart', async () => {
  const file = pluginOf(plugin('old'));
  const dataDir = makeFolder();
  const { child } = spawnServer(dataDir, { plugins: [file], args: ['--no-auth', '--watch'], isForPeople: true });
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await once(child, 'close');
  });
  let output = '';
  child.stdout?.on('data', (chunk) => {
    output += chunk;
  });
  const [, url] = await vi.waitUntil(() => /Parley is ready: (\S+)[\s\S]*Ctrl\+C stops/.exec(output), {
    timeout: 10_000,
  });
  for (const count of [1, 2]) {
    await writeFile(file, plugin(`new ${count}`));
    await vi.waitUntil(() => output.split(`Parley is ready again: ${url}\n`).length === count + 1, { timeout: 10_000 });
  }
  expect(output.match(/Ctrl\+C/g)).toHaveLength(1);
});

const faulty = `const schema = { type: 'object' };
const tool = (name, handler) => ({ name, description: 'x', parameters: schema, handler });
const fields = [{ id: 'pin', type: 'secret', label: 'Pin' }];
export default { name: 'faulty', tools: [
  tool('tell', (_, ctx) => { ctx.log.info('a row was read', { row: 7 }); }),
  tool('burst', () => { throw new TypeError('row 7 is empty'); }),
  tool('refuse', (_, ctx) => { throw ctx.error('no_row', 'There is no row 9.'); }),
  tool('stray', () => void Promise.reject(new RangeError('nobody caught this'))),
  tool('leak', async (_, ctx) => {
    const { input } = await ctx.requestInteraction({ type: 'input', inputSchema: { type: 'form', fields } });
    throw new Error('the pin was ' + input.pin);
  }),
] };`;

test('[PLG12, SEC8] with --watch the log has the messages of ctx.log and of errors, without secrets', async () => {
  const file = pluginOf(faulty);
  const started = { plugins: [file], args: ['--no-auth', '--watch'], isForPeople: true };
  const { child, stderr } = spawnServer(makeFolder(), started);
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await once(child, 'close');
  });
  let output = '';
  child.stdout?.on('data', (chunk) => {
    output += chunk;
  });
  const [, url = ''] = await vi.waitUntil(() => /Parley is ready: (\S+)/.exec(output), { timeout: 30_000 });
  const open = (options?: TabOptions) => Tab.open(`${url.replace('http', 'ws').replace(/\/$/, '')}/ws`, options);
  const journey = await Journey.begin({ open });
  for (const tool of ['tell', 'burst', 'refuse', 'stray']) await journey.run(tool);
  await journey.submit(await journey.ask('leak'), { pin: '8061-5523' });
  const log = () => stderr.join('');
  const end = 'Error: the pin was ';
  await vi.waitUntil(() => log().includes(end) && log().includes('nobody caught'), { timeout: 30_000 });
  expect(log()).toMatch(/INFO: faulty › tell: a row was read\n +row: 7\n/);
  expect(log()).toMatch(/WARN: .*burst: tool call failed.*\n +TypeError: row 7 is empty\n +at .*plugin\.mjs:\d+/);
  expect(log()).toMatch(/INFO: .*refuse: tool call failed\n +no_row: There is no row 9\./);
  expect(log()).toMatch(/ERROR: faulty: unhandled rejection\n +RangeError: nobody caught this\n +at .*plugin\.mjs/);
  expect(log()).not.toContain('8061-5523');
  expect(log()).not.toContain('"level"');
});

/** Reconnects as a tab does, until the server is back. */
async function reconnect(server: ServerProcess): Promise<Tab> {
  for (;;) {
    const tab = await server.open().catch(() => undefined);
    if (tab) return tab;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
