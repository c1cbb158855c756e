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

const npmNever =
  'script-shell shell node-options onload-script prefix userconfig globalconfig config logs-dir dir C c call'.split(
    ' ',
  );
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
 * Returns the program and the subcommand with which a simple command begins; undefined unless it is known to run nothing else,
 * whatever follows (APR7). @param words - as a shell would pass them on
 */
export function readCommandPrefix(words: readonly string[]): readonly string[] | undefined {
  const [name = '', command = '', script = ''] = words;
  const program = programs.get(name);
  if (!program || words.some((word) => isForbidden(word, program.never ?? []))) return undefined;
  const { commands, scripts = [] } = program;
  if (!commands) return [name];
  if (commands.includes(command)) return [name, command];
  return scripts.includes(command) && /^\w[\w:.-]*$/.test(script) ? [name, command, script] : undefined;
}

/** Scripts of a package whose names say that they change nothing outside of the project. */
const harmlessScripts: ReadonlySet<string> = new Set('build check format lint test typecheck types'.split(' '));

/**
 * Whether a prefix is of commands that look at something, or test or build a project: no script of another name, and no `echo`,
 * which looks at nothing. Nothing is suggested for all others (LESS2).
 */
export function isRoutine([program, , script]: readonly string[]): boolean {
  return program !== 'echo' && (script === undefined || harmlessScripts.has(script));
}

/**
 * Whether a word could mean a forbidden option: programs accept long options with one or two dashes, and shortened. npm takes the
 * value of `--no-script-shell=x`, too.
 */
function isForbidden(word: string, never: readonly string[]): boolean {
  if (!word.startsWith('-')) return false;
  const [name = ''] = word.replace(/^-+(no-)*/i, '').split('=');
  if (name === '') return false;
  const isShort = !word.startsWith('--');
  return never.some((option) => {
    if (option.length === 1) return isShort && name.includes(option); // several may share a dash
    return (name.length > 1 || !isShort) && (option.startsWith(name) || name.startsWith(option));
  });
}
