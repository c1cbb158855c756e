import { expect, test } from 'vitest';
import { startLocalServer } from '../support/local-server.ts';
import { pluginOf } from '../support/plugin-file.ts';
import { startServer } from '../support/use-server.ts';

const slow = `export default { name: 'slow', tools: [
  { name: 'nap', description: 'Ends soon.', parameters: { type: 'object' },
    handler: () => new Promise((resolve) => setTimeout(resolve, 700, 'rested')) },
] };`;

test('[OPS3] SIGTERM closes with 1012, cancels nothing, and open prompts wait for the next start', async () => {
  const server = await startServer();
  const tab = await server.open();
  const session = await tab.createSession();
  await tab.follow(session);
  await tab.say(session, '/call ask_user {"question":"Well?"}');
  const prompt = await tab.prompt(session);
  const begin = performance.now();
  const exited = server.kill('SIGTERM');
  expect(await tab.closed()).toBe(1012);
  expect(await exited).toBe(0);
  expect(performance.now() - begin).toBeLessThan(3000);

  await server.restart();
  const back = await server.open();
  const { head } = await back.follow(session);
  expect(head.prompts.map(({ request }) => request.interactionId)).toEqual([prompt.interactionId]);
  expect(back.events(session).filter(({ type }) => /closed|result|turn_end/.test(type))).toEqual([]);
  await back.answer(session, prompt, { action: 'submit', input: { answer: 'still here' } });
  expect((await back.event(session, 'assistant_done')).payload.text).toContain('still here');
});

test('[OPS3] a running handler can finish, and its result is stored', async () => {
  const server = await startServer({ plugins: [pluginOf(slow)] });
  const tab = await server.open();
  const session = await tab.createSession();
  await tab.follow(session);
  await tab.say(session, '/call nap {}');
  await tab.event(session, 'tool_call');
  expect(await server.kill('SIGTERM')).toBe(0);
  await server.restart();
  const back = await server.open();
  await back.follow(session);
  expect((await back.event(session, 'tool_result')).payload).toMatchObject({ result: 'rested' });
});

test('[OPS3, PLG1] a plugin that never finishes disposing delays neither the stop nor the others', async () => {
  const gone: string[] = [];
  const own = await startLocalServer({
    durations: { stopMs: 100 },
    plugins: [
      { name: 'clinging', tools: [], dispose: () => new Promise<void>(() => {}) },
      { name: 'other', tools: [], dispose: () => void gone.push('other') },
    ],
  });
  await own.server.close();
  expect(gone).toEqual(['other']);
});

test('[OPS3] a client that does not acknowledge the close does not delay the stop', async () => {
  const server = await startServer();
  const tab = await server.open();
  tab.pause();
  const begin = performance.now();
  expect(await server.kill('SIGINT')).toBe(0);
  expect(performance.now() - begin).toBeLessThan(5000);
  tab.terminate();
});
