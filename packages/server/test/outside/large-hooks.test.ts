import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { startGuardedServer } from '../support/guarded-server.ts';
import { loadShippedPlugin } from '../support/journey.ts';

const hook = { hook_event_name: 'PreToolUse', session_id: 's', tool_name: 'Bash', tool_use_id: 't' };
const large = JSON.stringify({ ...hook, tool_input: { command: 'x'.repeat(3 * 1024 * 1024) } });
const small = JSON.stringify({ ...hook, tool_input: { command: 'ls' } });

test.each([
  ['says its size', (text: string) => text],
  ['does not say its size', (text: string) => Readable.toWeb(Readable.from([Buffer.from(text)]))],
])('[SEC11] a large hook that %s counts like frames of its size, before it is read', async (_, write) => {
  // 28 frames at once, and 3 MiB count as 24: for a second one even a busy machine has three seconds
  const server = await startGuardedServer({ plugins: [await loadShippedPlugin('claude-code')], framesPerSecond: 7 });
  const [{ token }, other] = [await server.makeToken({ role: 'asker' }), await server.makeToken({ role: 'asker' })];
  const post = async (text: string, by = token) => {
    const response = await fetch(`${server.origin}/hooks/claude`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${by}` },
      body: write(text) as BodyInit,
      duplex: 'half',
    } as RequestInit);
    await response.text();
    return response.status;
  };
  const statuses = await Promise.all(Array.from({ length: 6 }, () => post(large)));
  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  expect(statuses.filter((status) => status === 429)).toHaveLength(5);
  expect(await post(small, other.token)).toBe(200);
});
