/** A program that a prefix may name. Others may run further programs, as `env`, `xargs`, `find`, `sudo`, shells and interpreters do. */
interface Program {
  /** The subcommands that a prefix may name; without them the prefix is the program alone. */
  readonly commands?: readonly string[];
  /** Subcommands that are followed by the name of a script, which belongs to the prefix. */
  readonly scripts?: readonly string[];
  /** Options that run or load something else, or write files in unexpected folders. */
  readonly never?: readonly string[];
  /** What no argument may contain, because it runs something, too. */
  readonly neverWithin?: RegExp;
  /** For a program that runs the project's own code, which has too many options to list those that do harm. */
  readonly known?: KnownOptions;
}

/** The only options that may follow, without dashes. No other argument may lead out of the folder either. */
interface KnownOptions {
  readonly before: readonly string[];
  /** Those after `--`. */
  readonly after: readonly string[];
}

const listOf = (text: string): readonly string[] => text.split(' ');

const scripted: Program = {
  commands: ['test'],
  scripts: ['run'],
  known: {
    before: listOf('silent s if-present ignore-scripts workspaces'),
    // not `run`: `node --test --run x` runs a script of another name
    after: listOf(
      'bail b check coverage no-coverage fix grep g i run-in-band runInBand max-warnings noEmit quiet silent s t test-name-pattern ' +
        'testNamePattern timeout u update v verbose w watch watchAll write',
    ),
  },
};

const cargo: Program = {
  commands: ['test', 'check', 'build', 'clippy'],
  known: {
    before: listOf(
      'all all-features all-targets bench benches bin bins color doc example examples exclude features F frozen j jobs keep-going lib ' +
        'locked message-format no-default-features no-fail-fast no-run offline p package q quiet r release test tests v verbose workspace',
    ),
    after: listOf('A D W exact ignored include-ignored list nocapture q quiet show-output skip test-threads'),
  },
};

const programs = new Map<string, Program>([
  ...['cat', 'cut', 'du', 'df', 'echo', 'grep', 'head', 'ls', 'pwd', 'stat', 'tail', 'wc'].map(
    (name): [string, Program] => [name, {}],
  ),
  ...['npm', 'pnpm', 'yarn'].map((name): [string, Program] => [name, scripted]),
  ['cargo', cargo],
  [
    'git',
    {
      commands: ['status', 'diff', 'log', 'show'],
      never: ['output', 'ext-diff', 'textconv', 'show-signature', 'O'],
      neverWithin: /%[-+ ]?G/, // a format with a signature runs `gpg.program`
    },
  ],
]);

/**
 * Returns the program and the subcommand with which a simple command begins; undefined unless it is known to run nothing else
 * with all that follows (APR7). @param words - as a shell would pass them on
 */
export function readCommandPrefix(words: readonly string[]): readonly string[] | undefined {
  const program = programs.get(words[0] ?? '');
  const prefix = program && findPrefix(program, words);
  return prefix && mayFollow(program, words.slice(prefix.length)) ? prefix : undefined;
}

/** Returns what may follow a prefix, in the words of a rule: exactly what `readCommandPrefix` lets through. */
export function followersOf([name = '']: readonly string[]): string {
  const { known, never } = programs.get(name) ?? {};
  if (known) return 'with options known to be harmless and no path out of the folder';
  return never ? 'with any arguments except options that run programs or write files' : 'with any arguments';
}

function findPrefix({ commands, scripts = [] }: Program, words: readonly string[]): readonly string[] | undefined {
  const [name = '', command = '', script = ''] = words;
  if (!commands) return [name];
  if (commands.includes(command)) return [name, command];
  return scripts.includes(command) && /^\w[\w:.-]*$/.test(script) ? [name, command, script] : undefined;
}

function mayFollow({ never = [], neverWithin, known }: Program, words: readonly string[]): boolean {
  if (!known) return !words.some((word) => isForbidden(word, never) || neverWithin?.test(word));
  const end = words.includes('--') ? words.indexOf('--') : words.length;
  return words.every((word, index) => {
    if (index === end) return true;
    const options = index < end ? known.before : known.after;
    return !leadsOut(word) && (!word.startsWith('-') || options.includes(nameOfOption(word)));
  });
}

/** Returns the name of `--name=value`; of an option with one dash the whole, since several may share the dash. */
function nameOfOption(word: string): string {
  return word.replace(/^--?/, '').replace(/=.*/s, '');
}

/** Whether an argument may name anything outside of its folder: another one, an address, or a file of further arguments. */
function leadsOut(word: string): boolean {
  return /[~\\@:]|\.\.|(^|[^\w.])\//.test(word);
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

/** Whether a word could mean a forbidden option: programs accept long options with one or two dashes, and shortened. */
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
