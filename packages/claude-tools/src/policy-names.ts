type Args = Readonly<Record<string, unknown>>;

/**
 * Returns the names under which policies find a call: its tool, and the tool with what it works on, as in
 * `Bash(git push origin)`. A command line is named as a whole and by each of its commands, so that `Bash(git push*)` also finds
 * `cd shop && git push`. This reads no shell syntax: use it only for policies that ask or deny, which may find too much.
 */
export function policyNames(tool: string, args: Args): string[] {
  return [tool, ...objectsOf(tool, args).map((each) => `${tool}(${each})`)];
}

function objectsOf(tool: string, args: Args): string[] {
  if (tool === 'Bash') return typeof args.command === 'string' ? commandsOf(args.command) : [];
  return [args.file_path, args.notebook_path, args.path, args.url].filter((each) => typeof each === 'string');
}

function commandsOf(line: string): string[] {
  // a backslash at the end of a line continues it
  const joined = line.replace(/\\\r?\n/g, ' ');
  const commands = joined.split(/[;&|\n(){}`]/).map(withoutBeginning);
  return [...new Set([line, joined, ...commands])]
    .map((each) => each.replace(/\s+/g, ' ').trim())
    .filter((each) => each !== '');
}

/** Leaves out what does not matter to what a command does: variables before it, `sudo` and its like, the folder of the program. */
function withoutBeginning(command: string): string {
  const text = command.trim();
  const word = new RegExp(`(?:${beginnings})\\s+`, 'y');
  let end = 0;
  while (word.test(text)) end = word.lastIndex;
  return text.slice(end).replace(/^\S*\//, '');
}

const variable = /[A-Za-z_][\w[\]]*\+?=(?:[^\s"']*(?:(?:"[^"]*"|'[^']*')[^\s"']*)*|\S*)/;
const wrapper = /(?:\S*\/)?(?:sudo|env|exec|command|nohup|time|timeout|nice|xargs|eval)/;
/** Of a wrapper: no command begins like these. */
const option = /-u\s+\S+|-\S+|\d+[smhd]?/;
const keyword = /if|elif|then|else|while|until|do|!|\$/;
const beginnings = [variable, wrapper, option, keyword].map(({ source }) => source).join('|');
