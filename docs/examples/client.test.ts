import { spawn } from 'node:child_process';
import { startParley } from '@parleyhq/client/process';
import { afterAll, expect, test } from 'vitest';
import { fileOf, pathOf } from './test/talk.ts';

const token = 'a-token-for-this-test';
const form = fileOf(
  `
    const fields = [
      { id: 'count', type: 'number', label: 'Count', required: true, max: 10 },
      { id: 'sure', type: 'checkbox', label: 'Sure' },
      { id: 'tags', type: 'multiselect', label: 'Tags', other: true, options: [{ value: 'a', label: 'A' }] },
      { id: 'note', type: 'text', label: 'Note' },
    ];
    const schema = { type: 'object' };
    export default { name: 'form', tools: [
      { name: 'form', description: 'A form.', parameters: schema, handler: async (_, ctx) =>
        (await ctx.requestInteraction({ type: 'input', inputSchema: { type: 'form', fields } })).input },
      { name: 'both', description: 'Two at once.', parameters: schema, handler: (_, ctx) => Promise.all([
        ctx.confirm('first', 'First?'), ctx.confirm('second', 'Second?') ]) },
    ] };`,
  'form.mjs',
);
const server = await startParley({ plugins: [pathOf('hello.mjs'), pathOf('release.ts'), form], token });
afterAll(() => server.stop());
const socketUrl = `${server.url.replace('http', 'ws')}/ws`;

/** Runs the client in a terminal that answers each question with the next line, and closes its input after the last. */
async function run(args: string[], lines: string[] = []): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [pathOf('client.mjs'), ...args]);
  let output = '';
  const hear = (chunk: Buffer) => {
    output += String(chunk);
    if (!/[:?] $/.test(output)) return;
    const line = lines.shift();
    if (line === undefined) child.stdin.end();
    else child.stdin.write(`${line}\n`);
  };
  child.stdout.on('data', hear);
  child.stderr.on('data', hear);
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, output };
}

const talk = (text: string, lines: string[]) => run([socketUrl, text, token], lines);

test('[FRM2] the client in docs/protocol.md connects, sends a message, answers and exits', async () => {
  const { code, output } = await talk('/call greet', ['Ada']);
  expect(output).toContain('What is your name?\nName: greet returned: "Hello, Ada!"');
  expect(code).toBe(0);
});

test('[INT6] it shows everything that a consent covers', async () => {
  const { output } = await talk('/call publish {"version":"1.0.0"}', ['deny']);
  expect(output).toContain(
    'Publish 1.0.0?\n{\n  "version": "1.0.0",\n  "tag": "latest"\n}\nRisk: high\napprove or deny? ',
  );
  expect(output).toContain('publish returned: {"error":{"code":"denied","message":"A person did not allow this."}}');
});

test('[INT16] it sends each field in the form of its type, and asks again until the server accepts', async () => {
  const { code, output } = await talk('/call form', ['eleven', '', '', '', '11', '', '', '', '7', 'yes', 'a, b', '']);
  expect(output.match(/Some values do not fit/g)).toHaveLength(2);
  expect(output).toContain('form returned: {"count":7,"sure":true,"tags":["a",{"other":"b"}]}');
  expect(code).toBe(0);
});

test('[INT13] it asks one question after the other', async () => {
  const { output } = await talk('/call both', ['perhaps', 'approve', 'deny']);
  expect(output).toContain('both returned: [true,false]');
});

test('[FRM2] it exits with a message and a code if it cannot continue', async () => {
  const usage = await run([]);
  expect([usage.code, usage.output]).toEqual([2, expect.stringMatching(/^Usage: .*\n$/)]);
  const stranger = await run([socketUrl, '/call greet', 'a-wrong-token-for-this-test']);
  expect([stranger.code, stranger.output]).toEqual([1, 'A valid token is needed.\n']);
  const nowhere = await run(['ws://127.0.0.1:1/ws', 'hello']);
  expect([nowhere.code, nowhere.output]).toEqual([1, expect.stringMatching(/^.*ECONNREFUSED.*\n$/)]);
  const alone = await talk('/call greet', []);
  expect([alone.code, alone.output]).toEqual([1, 'What is your name?\nName: \nNobody is there to answer.\n']);
});
