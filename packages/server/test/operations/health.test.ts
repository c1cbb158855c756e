import { expect, test } from 'vitest';
import { loadShippedPlugin } from '../support/journey.ts';
import { useLocalServer } from '../support/local-server.ts';

const server = useLocalServer({ plugins: [await loadShippedPlugin('ask-user')] });

/** Reads a metric's value; undefined if it is not listed. */
async function read(name: string): Promise<number | undefined> {
  const text = await (await fetch(`${server.httpUrl}/metrics`)).text();
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length + 1));
}

test('[OPS3] the health endpoints report alive and ready', async () => {
  for (const path of ['/healthz', '/readyz']) expect((await fetch(`${server.httpUrl}${path}`)).status).toBe(200);
});

test('[OPS3] metrics count connections, open prompts, answers and lost races', async () => {
  expect(await read('parley_open_prompts')).toBe(0);
  const [tab, other] = await Promise.all([server.open(), server.open()]);
  expect(await read('parley_connections')).toBe(2);
  const session = await tab.createSession();
  await tab.follow(session);
  await tab.say(session, '/call ask_user {"question":"Well?"}');
  const prompt = await tab.prompt(session);
  expect(await read('parley_open_prompts')).toBe(1);
  expect(await read('parley_oldest_open_prompt_seconds')).toBeGreaterThanOrEqual(0);
  const answer = { action: 'submit', input: { answer: 'a' } };
  await Promise.all([tab.answer(session, prompt, answer), other.answer(session, prompt, answer)]);
  await tab.event(session, 'turn_end');
  expect(await read('parley_open_prompts')).toBe(0);
  expect(await read('parley_claims_lost_total')).toBe(1);
  expect(await read('parley_time_to_answer_seconds_count')).toBe(1);
  expect(await read('parley_append_seconds_count')).toBeGreaterThan(4);
  expect(await read('parley_tool_seconds_count{tool="ask_user"}')).toBe(1);
  for (let n = 0; n < 21; n += 1) other.sendText('nonsense');
  await other.closed();
  expect(await read('parley_connections_dropped_total{reason="4429"}')).toBe(1);
  expect(await read('parley_connections')).toBe(1);
});
