/**
 * The programs that a prefix may name. Others may run further programs, as `env`, `xargs`, `find`, `sudo`, shells and
 * interpreters do.
 */
interface Program {
  /** The subcommands that a prefix may name, each with further options that no word may be. */
  readonly commands?: Readonly<Record<string, readonly string[]>>;
  /** Subcommands that are followed by the name of a script, which belongs to the prefix. */
  readonly scripts?: readonly string[];
  /** Options that run or load something else, or write files in unexpected folders. */
  readonly never?: readonly string[];
  /** The only options before `--`, if the others are settings without end; what follows is for the script. */
  readonly only?: readonly string[];
}

const scripted: Program = {
  commands: { test: [] },
  scripts: ['run'],
  never:
    'script-shell shell node-options onload-script prefix userconfig globalconfig config logs-dir dir C c call cwd use-yarnrc yarn-path'.split(
      ' ',
    ),
  only: ['--silent', '-s', '--if-present', '--ignore-scripts', '--workspaces'],
};

const programs = new Map<string, Program>([
  ...['cat', 'cut', 'du', 'df', 'echo', 'grep', 'head', 'ls', 'pwd', 'stat', 'tail', 'wc'].map(
    (name): [string, Program] => [name, {}],
  ),
  ...['npm', 'pnpm', 'yarn'].map((name): [string, Program] => [name, scripted]),
  [
    'cargo',
    {
      // a build takes its linker from a target's file; what follows `--` is for rustc in clippy
      commands: { test: ['logfile'], check: [], build: [], clippy: ['--', 'fix'] },
      never: 'config manifest-path lockfile-path target target-dir out-dir artifact-dir C Z'.split(' '),
    },
  ],
  [
    'git',
    {
      commands: { status: [], diff: [], log: [], show: [] },
      never: ['output', 'ext-diff', 'textconv', 'show-signature', 'O'],
    },
  ],
]);

/**
 * Returns the program and the subcommand with which a simple command begins; undefined unless it is known to run nothing else,
 * whatever follows (APR7). @param words - as a shell would pass them on
 */
export function readCommandPrefix(words: readonly string[]): readonly string[] | undefined {
  const [name = '', command = '', script = ''] = words;
  const program = programs.get(name);
  if (!program) return undefined;
  const { commands, scripts = [], never = [], only } = program;
  const further = commands && Object.hasOwn(commands, command) ? commands[command] : undefined;
  if (words.some((word) => isForbidden(word, [...never, ...(further ?? [])]))) return undefined;
  const end = words.indexOf('--');
  const own = end < 0 ? words : words.slice(0, end);
  if (only && own.some((word) => word.startsWith('-') && !only.includes(word))) return undefined;
  if (!commands) return [name];
  if (further) return [name, command];
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
  if (word === '--') return never.includes(word);
  const [name = ''] = word.replace(/^-+(no-)*/i, '').split('=');
  if (name === '') return false;
  const isShort = !word.startsWith('--');
  return never.some((option) => {
    if (option.length === 1) return isShort && name.includes(option); // several may share a dash
    return (name.length > 1 || !isShort) && (option.startsWith(name) || name.startsWith(option));
  });
}
