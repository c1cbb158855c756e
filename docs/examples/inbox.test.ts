import { spawn } from 'node:child_process';
import { startParley } from '@parleyhq/client/process';
import { afterAll, expect, test } from 'vitest';
import { pathOf } from './test/talk.ts';

const server = await startParley({ plugins: [pathOf('hello.mjs'), pathOf('import.ts')] });
afterAll(() => server.stop());

/** Runs the inbox in a terminal that answers each question with the next line. */
async function run(lines: string[], isClosedThen = false): Promise<string> {
  const child = spawn(process.execPath, ['--conditions=default', pathOf('inbox.mjs'), server.url]);
  let output = '';
  const hear = (chunk: Buffer) => {
    output += String(chunk);
    if (!/(: |\] )$/.test(output)) return;
    if (lines.length === 0 && isClosedThen) child.stdin.end();
    else child.stdin.write(`${lines.shift() ?? ''}\n`);
  };
  child.stdout.on('data', hear);
  child.stderr.on('data', hear);
  await new Promise((resolve) => child.on('close', resolve));
  return output;
}

test('[TRN2] fifty lines with the client answer all open prompts, in every session', async () => {
  const [one, two] = [await server.tab(), await server.tab()];
  await one.call('greet');
  await two.call('import_rows', { rows: 2 });
  await Promise.all([one.prompt(), two.prompt()]);
  const output = await run(['Ada', 'n']);
  expect(output).toContain('What is your name?');
  expect(output).toContain('Import 2 rows?');
  expect(output).toContain('Nothing waits for you.');
  expect(await one.result()).toEqual({ result: 'Hello, Ada!' });
  expect(await two.result()).toMatchObject({ error: { code: 'denied' } });
});

test('[TRN2] closing the terminal ends the program, and unanswered prompts stay open', async () => {
  const tab = await server.tab();
  await tab.call('greet');
  const prompt = await tab.prompt();
  const output = await run([], true);
  expect(output.match(/What is your name\?/g)).toHaveLength(1);
  await tab.answer(prompt, { action: 'submit', input: { name: 'Ada' } });
  expect(await tab.result()).toEqual({ result: 'Hello, Ada!' });
});
