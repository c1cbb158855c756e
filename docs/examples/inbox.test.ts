import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { Journey } from '../../packages/server/test/support/journey.ts';
import { useServer } from '../../packages/server/test/support/use-server.ts';
import { pathOf } from './test/talk.ts';

const server = useServer({ plugins: [pathOf('hello.mjs'), pathOf('import.ts')] });

/** Runs the inbox in a terminal that answers each question with the next line. */
async function run(lines: string[]): Promise<string> {
  const child = spawn(process.execPath, ['--conditions=default', pathOf('inbox.mjs'), server.httpUrl]);
  let output = '';
  const hear = (chunk: Buffer) => {
    output += String(chunk);
    if (/(: |\] )$/.test(output)) child.stdin.write(`${lines.shift() ?? ''}\n`);
  };
  child.stdout.on('data', hear);
  child.stderr.on('data', hear);
  await new Promise((resolve) => child.on('close', resolve));
  return output;
}

test('[TRN2] fifty lines on the client answer what waits, in every session', async () => {
  const [one, two] = [await Journey.begin(server), await Journey.begin(server)];
  await one.ask('greet');
  await two.ask('import_rows', { rows: 2 });
  const output = await run(['Ada', 'n']);
  expect(output).toContain('What is your name?');
  expect(output).toContain('Import 2 rows?');
  expect(output).toContain('Nothing waits for you.');
  expect(await one.outcome()).toEqual({ result: 'Hello, Ada!' });
  expect(await two.outcome()).toMatchObject({ error: { code: 'denied' } });
});
