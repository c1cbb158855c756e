import { describe, expect, test } from 'vitest';
import { ClaudeHooks } from '../support/claude-hooks.ts';
import { countSteps } from '../support/count-steps.ts';
import { useGuardedServer } from '../support/guarded-server.ts';
import { Journey, loadPlugin, loadShippedPlugin } from '../support/journey.ts';

const plugins = [
  await loadShippedPlugin('ask-user'),
  await loadShippedPlugin('claude-code'),
  await loadPlugin('asking.mjs'),
];
const server = useGuardedServer({ plugins });

const some = 1500;

/** Allowance for steps of other work in the process. Quadratic work is a hundred times as much. */
const others = 30 * some;

/** Makes this many members, under distinct names. */
const members = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, n]));
const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);
const lines = (count: number) => numbers(count).join('\n');

/** Tools of Claude Code, and the part of their input that a program can make long. */
const inputs: readonly [string, string, (count: number) => object][] = [
  ['members of an unknown tool', 'mcp__x__y', members],
  ['members besides a command', 'Bash', (count) => ({ command: 'ls', ...members(count) })],
  ['members besides a plan', 'ExitPlanMode', (count) => ({ plan: 'Go.', ...members(count) })],
  ['members of a plan without a text', 'ExitPlanMode', members],
  ['members besides an address', 'WebFetch', (count) => ({ url: 'https://a.example', ...members(count) })],
  ['members besides a patch', 'apply_patch', (count) => ({ command: 'a', ...members(count) })],
  ['members of an edit', 'Edit', (count) => ({ file_path: 'a', old_string: 'a', new_string: 'b', ...members(count) })],
  ['lines of an edit', 'Edit', (count) => ({ file_path: 'a', old_string: lines(count), new_string: 'b' })],
  ['lines of a file', 'Write', (count) => ({ file_path: 'a', content: lines(count) })],
  [
    'edits',
    'MultiEdit',
    (count) => ({ file_path: 'a', edits: numbers(count).map((n) => ({ old_string: `${n}`, new_string: 'b' })) }),
  ],
  ['items of a list', 'mcp__x__y', (count) => ({ list: numbers(count) })],
];

/**
 * Checks that twice the input takes twice the steps, not four times. Other work in the process adds steps now and then, so each
 * attempt must exceed the bound to prove that the input does.
 */
async function expectLinear(send: (count: number) => Promise<unknown>): Promise<void> {
  await send(1); // warm-up of what is made once
  const once = await countSteps(() => send(some));
  const most = 3 * once + others;
  let twice = Number.POSITIVE_INFINITY;
  for (let attempt = 1; attempt <= 3 && twice >= most; attempt += 1) twice = await countSteps(() => send(2 * some));
  expect(twice).toBeLessThan(most);
}

describe('[SEC6] twice the input is twice the work', () => {
  test.each(inputs)('PermissionRequest: %s', async (_, tool_name, inputOf) => {
    const tab = await server.enter({ role: 'operator' });
    const { token } = await server.makeToken({ role: 'asker' });
    await expectLinear(async (count) => {
      const hooks = new ClaudeHooks(server.origin, token);
      const left = new AbortController();
      const asking = hooks.ask({ tool_name, tool_input: inputOf(count) }, left.signal).catch(() => undefined);
      await Promise.race([hooks.prompt(tab), asking]);
      left.abort();
      await asking;
    });
  });

  test.each(['PreToolUse', 'PostToolUse', 'Stop'])('%s', async (name) => {
    const { token } = await server.makeToken({ role: 'asker' });
    await expectLinear(async (count) => {
      const part = { tool_name: 'Bash', tool_input: members(count), tool_use_id: 't', tool_response: numbers(count) };
      expect(await new ClaudeHooks(server.origin, token).hook(name, part)).toMatchObject({ status: 200 });
    });
  });

  test('calls of programs, over HTTP', async () => {
    const { token } = await server.makeToken({ role: 'asker' });
    const call = async (toolName: string, args: object) => {
      const response = await fetch(`${server.origin}/api/calls?wait=0`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: JSON.stringify({ channel: 'c', toolName, args }),
      });
      return response.json();
    };
    await expectLinear((count) =>
      call('request_approval', { title: 'a', subject: { kind: 'text', text: 'a' }, args: members(count) }),
    );
    await expectLinear((count) => call('request_approval', members(count)));
    await expectLinear((count) => call('ask_human', { question: 'a', ...members(count) }));
    await expectLinear((count) =>
      call('ask_human', { question: 'a', options: numbers(count).map((n) => ({ label: `${n}` })) }),
    );
    await expectLinear((count) =>
      call('ask_human', { question: 'a', schema: { type: 'object', properties: members(count) } }),
    );
  });

  test('answers', async () => {
    const journey = await Journey.begin(server.local, { hello: { token: server.token } });
    const prompt = await journey.ask('ask_one', { question: 'a' });
    await expectLinear((count) => journey.submit(prompt, members(count)));
    await expectLinear((count) => journey.submit(prompt, { answer: numbers(count) }));
    await expectLinear((count) => journey.answer(prompt, { action: 'approve', editedArgs: members(count) }));
  });
});
