import { posix } from 'node:path';

type Args = Readonly<Record<string, unknown>>;

/**
 * Returns the names under which policies find a call: its tool, and the tool with what it works on, as in
 * `Bash(git push origin)`. A command line is named as a whole and by each of its commands, so that `Bash(git push*)` also finds
 * `cd shop && git push`; a file and an address as they are given, and as what they lead to. This reads no shell syntax: use it
 * only for policies that ask or deny, which may find too much.
 * @param cwd - the folder that relative paths begin at
 */
export function policyNames(tool: string, args: Args, cwd = '/'): string[] {
  return [tool, ...[...new Set(objectsOf(tool, args, cwd))].map((each) => `${tool}(${each})`)];
}

function objectsOf(tool: string, { command, file_path, notebook_path, path, url }: Args, cwd: string): string[] {
  if (tool === 'Bash') return isText(command) ? commandsOf(command) : [];
  const files = [file_path, notebook_path, path]
    .filter(isText)
    .flatMap((each) => [each, posix.resolve('/', cwd, each)]);
  return isText(url) ? [...files, url, ...(URL.canParse(url) ? [new URL(url).href] : [])] : files;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function commandsOf(line: string): string[] {
  const joined = line.replace(/\\\r?\n/g, ''); // a backslash at the end of a line continues it, also within a word
  const commands = joined.split(/[;&|\n(){}`]/).map(withoutBeginning);
  const all = [...new Set([line, joined, ...commands])];
  return all.map((each) => each.replace(/\s+/g, ' ').trim()).filter((each) => each !== '');
}

/**
 * Leaves out what does not matter to what a command does: variables and redirections before it, `sudo` and its like, a backslash and
 * the folder before its name.
 */
function withoutBeginning(command: string): string {
  const text = command.trim();
  const word = new RegExp(`(?:${beginnings})\\s+`, 'y');
  let end = 0;
  while (word.test(text)) end = word.lastIndex;
  return text.slice(end).replace(/^\\?(?:\S*\/)?/, '');
}

const variable = /[A-Za-z_][\w[\]]*\+?=(?:[^\s"']*(?:(?:"[^"]*"|'[^']*')[^\s"']*)*|\S*)/;
const wrapper = /(?:\S*\/)?(?:sudo|doas|env|exec|command|builtin|coproc|nohup|setsid|time|timeout|nice|xargs|eval)/;
/** What may follow a wrapper: no command begins like this. */
const option = /-[ugC]\s+\S+|-\S+|\d+[smhd]?/;
const redirection = /\d*[<>]{1,3}\s*[^\s<>]+/;
const keyword = /if|elif|then|else|while|until|do|!|\$/;
const beginnings = [variable, wrapper, option, redirection, keyword].map(({ source }) => source).join('|');
