import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { pluginOf } from './support/plugin-file.ts';
import { ServerProcess } from './support/server-process.ts';
import { Tab } from './support/tab.ts';

const plugin = (word: string) => `export default { name: 'changing', tools: [
  { name: 'tell', description: 'x', parameters: { type: 'object' }, handler: () => '${word}' },
  { name: 'ask', description: 'x', parameters: { type: 'object' }, durable: true,
    handler: (_, ctx) => ctx.requestInteraction({ type: 'approval', title: 'Sure?', timeoutMs: null,
      onResponse: ({ action }) => ({ complete: '${word} ' + action }) }) },
] };`;

test('[OPS2, PLG4] --watch starts again when a plugin changes: same port, tabs reconnect, prompts are still open', async () => {
  const file = await pluginOf(plugin('old'));
  const server = await ServerProcess.start({ plugins: [file], args: ['--no-auth', '--watch'] });
  const tab = await Tab.open(server.socketUrl);
  const session = await tab.createSession();
  await tab.follow(session);
  await tab.say(session, '/call tell {}');
  expect((await tab.event(session, 'tool_result')).payload.result).toBe('old');
  const { seq } = await tab.event(session, 'turn_end');
  await tab.say(session, '/call ask {}');
  const prompt = await tab.prompt(session);

  await writeFile(file, 'export default {'); // half of it: the server cannot start
  expect(await tab.closed()).toBe(1012);
  await server.says('waiting for a change');
  await writeFile(file, plugin('new'));
  const back = await reconnect(server);
  await back.follow(session);
  expect(await back.answer(session, prompt, { action: 'approve' })).toMatchObject({ ok: true });
  const result = await back.event(session, 'tool_result', undefined, seq);
  expect(result.payload.result).toBe('new approve');
  expect(server.stdout).toHaveLength(1);
  expect(await server.kill('SIGTERM')).toBe(0);
  await server.remove();
});

/** As a tab does: again and again, until somebody answers. */
async function reconnect(server: ServerProcess): Promise<Tab> {
  for (;;) {
    const tab = await Tab.open(server.socketUrl).catch(() => undefined);
    if (tab) return tab;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
