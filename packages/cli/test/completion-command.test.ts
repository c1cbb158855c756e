import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runParley } from '../../server/test/support/command.ts';
import { keys, Terminal } from './support/terminal.ts';

const folder = mkdtempSync(join(tmpdir(), 'parley-test-'));
const file = (shell: string) => join(folder, `parley.${shell}`);
const isThere = (shell: string) => spawnSync(shell, ['--version']).status === 0;

beforeAll(async () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { code, stdout } = await runParley('completion', shell);
    expect(code).toBe(0);
    await writeFile(file(shell), stdout);
  }
  await writeFile(join(folder, 'form.json'), '{}');
});
afterAll(() => rm(folder, { recursive: true }));

/** Returns what a shell offers for the last of these words. */
type Complete = (...words: string[]) => string[];

const lines = (text: string) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('\t')[0] ?? '')
    .sort();

const inBash: Complete = (...words) => {
  const script =
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is bash's
    'source "$0"; COMP_WORDS=(parley "$@"); COMP_CWORD=$#; _parley 2>/dev/null; printf "%s\\n" "${COMPREPLY[@]}"';
  return lines(spawnSync('bash', ['-c', script, file('bash'), ...words], { encoding: 'utf8', cwd: folder }).stdout);
};

const inFish: Complete = (...words) =>
  lines(
    spawnSync('fish', ['-c', `source ${file('fish')}; complete -C "parley ${words.join(' ')}"`], {
      encoding: 'utf8',
      cwd: folder,
    }).stdout,
  );

const shells = [
  ['bash', inBash],
  ['fish', inFish],
] as const;

/** The shells that are installed; bash always is. */
describe.each(shells.filter(([shell]) => isThere(shell)))('parley completion %s', (_, complete) => {
  test('[ASK8] completes commands, flags, choices and files at their positions', () => {
    expect(complete('to')).toEqual(['token']);
    expect(complete('token', '')).toEqual(expect.arrayContaining(['create', 'list', 'revoke']));
    expect(complete('ask', '--ri')).toEqual(['--risk']);
    expect(complete('ask', '--title', 'token', '--ri')).toEqual(['--risk']); // "token" is a value here
    expect(complete('ask', '--risk', '')).toEqual(['high', 'low', 'medium']);
    expect(complete('inbox', '--ri')).toEqual([]);
    expect(complete('token', 'create', '--ro')).toEqual(['--role']);
    expect(complete('ask', '--form', 'fo')).toEqual(['form.json']);
    expect(complete('completion', 'f')).toEqual(['fish']);
  });
});

test('[ASK8] bash completes at the Tab key', async () => {
  const shell = Terminal.run('bash', ['--norc', '--noprofile', '-i'], { env: { PS1: '% ', HOME: folder } });
  shell.type(`source ${file('bash')}; clear\r`);
  await shell.endsWith(/^%$/);
  shell.type('parley tok', keys.tab, 'cre', keys.tab, '--exp', keys.tab);
  await shell.endsWith('% parley token create --expires');
});

test.each(['zsh'].filter(isThere))('[ASK8] %s completes at the Tab key', async () => {
  const shell = Terminal.run('zsh', ['-f', '-i'], { env: { PS1: '%% ', HOME: folder } });
  shell.type(`autoload -U compinit; compinit -u -D; source ${file('zsh')}; clear\r`);
  await shell.endsWith(/^%$/);
  shell.type('parley tok', keys.tab);
  await shell.endsWith('% parley token');
  shell.type('cre', keys.tab, '--exp', keys.tab);
  await shell.endsWith('% parley token create --expires');
});

test('[ASK8] every command that the help names, and each of its flags, is completed', async () => {
  const names = (help: string, pattern: RegExp) => [...help.matchAll(pattern)].map(([, name = '']) => name);
  const { stdout } = await runParley('--help');
  const commands = names(stdout.split('Commands:')[1] ?? '', /^ {2}([a-z]+)/gm);
  expect(inBash('')).toEqual(expect.arrayContaining(commands));
  for (const command of ['ask', 'chat', 'serve']) {
    const help = await runParley(command, '--help');
    const flags = names(help.stdout, /^ {2}(?:-\w, )?(--[a-z-]+)/gm);
    expect(flags.length).toBeGreaterThan(5);
    expect(inBash(command, '--')).toEqual(flags.toSorted());
  }
});

test('[ASK8] an unknown shell is wrong usage: code 2', async () => {
  expect(await runParley('completion', 'tcsh')).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('bash, zsh, fish'),
  });
});
