import type { OfferedRule, Rule } from '@parleyhq/core';
import { readSimpleCommand } from './simple-command.ts';

/** A command and the folder in which it runs. */
export interface Placed {
  readonly command: string;
  readonly folder: string;
}

/**
 * The programs that a prefix may name. Others may run further programs, as `env`, `xargs`, `find`, `sudo`, shells and
 * interpreters do. `never` lists options that run further programs, or that write files in unexpected folders.
 */
interface Program {
  /** The subcommands that a prefix may name; without them the prefix is the program alone. */
  readonly commands?: readonly string[];
  /** Subcommands that are followed by the name of a script, which belongs to the prefix. */
  readonly scripts?: readonly string[];
  readonly never?: readonly string[];
}

const npmNever = 'script-shell shell node-options prefix userconfig globalconfig config dir C c call'.split(' ');
const cargoNever = ['config', 'manifest-path', 'target-dir', 'out-dir', 'artifact-dir', 'C', 'Z'];

const programs = new Map<string, Program>([
  ...['cat', 'cut', 'du', 'df', 'echo', 'head', 'pwd', 'stat', 'tail', 'wc'].map((name): [string, Program] => [
    name,
    {},
  ]),
  ['grep', {}],
  ['ls', {}],
  ['npm', { commands: ['test'], scripts: ['run'], never: npmNever }],
  ['pnpm', { commands: ['test'], scripts: ['run'], never: npmNever }],
  ['yarn', { commands: ['test'], scripts: ['run'], never: [...npmNever, 'cwd', 'use-yarnrc', 'yarn-path'] }],
  ['cargo', { commands: ['test', 'check', 'build', 'clippy'], never: cargoNever }],
  ['git', { commands: ['status', 'diff', 'log', 'show'], never: ['output', 'ext-diff', 'textconv', 'O'] }],
]);

/**
 * Returns the rule that a command offers: its prefix, in its folder, for this session. Offers none unless known to be harmless.
 */
export function offerPrefix({ command, folder }: Placed): readonly OfferedRule[] {
  const words = readSimpleCommand(command);
  const prefix = words && readPrefix(words);
  if (!prefix) return [];
  const label = `\`${prefix.join(' ')}\` with any arguments, in ${folder}`;
  return [{ id: 'prefix', label, key: ['run_command', folder, ...prefix], scopes: ['session'] }];
}

/** Whether a rule covers a command: the same prefix in the same folder, and nothing that `offerPrefix` would not offer. */
export function isCoveredBy({ key }: Pick<Rule, 'key'>, { command, folder }: Placed): boolean {
  const words = readSimpleCommand(command);
  const prefix = words && readPrefix(words);
  return prefix !== undefined && JSON.stringify(['run_command', folder, ...prefix]) === JSON.stringify(key);
}

function readPrefix(words: readonly string[]): readonly string[] | undefined {
  const [name = '', command = '', script = ''] = words;
  const program = programs.get(name);
  if (!program || words.some((word) => isForbidden(word, program.never ?? []))) return undefined;
  const { commands, scripts = [] } = program;
  if (!commands) return [name];
  if (commands.includes(command)) return [name, command];
  return scripts.includes(command) && /^\w[\w:.-]*$/.test(script) ? [name, command, script] : undefined;
}

/** Whether a word could mean a forbidden option: programs accept long options with one or two dashes, and shortened. */
function isForbidden(word: string, never: readonly string[]): boolean {
  if (!word.startsWith('-')) return false;
  const [name = ''] = word.replace(/^-+/, '').split('=');
  if (name === '') return false;
  const isShort = !word.startsWith('--');
  return never.some((option) => {
    if (option.length === 1) return isShort && name.includes(option); // several may share a dash
    return (name.length > 1 || !isShort) && (option.startsWith(name) || name.startsWith(option));
  });
}
