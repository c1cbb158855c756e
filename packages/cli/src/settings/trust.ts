import { createHash, randomUUID } from 'node:crypto';
import { closeSync, constants, fstatSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { SettingsError } from '@parleyhq/server';
import * as z from 'zod';
import { askAtTerminal } from '../io/ask-person.ts';
import { toLine } from '../io/line.ts';

/** A file or folder in the current folder that a start would run or use, although nobody named it. */
export interface Subject {
  readonly path: string;
  /** What it is and what it could do, for the person who decides. */
  readonly words: string;
  /** Hash or id that must be the same as when it was trusted; undefined if it has none yet. */
  readonly mark: string | undefined;
}

/** Identifies a file by a hash of its content. */
export function fileSubject(path: string, words: string): Subject {
  return { path, words, mark: `sha256:${createHash('sha256').update(readFileSync(path)).digest('hex')}` };
}

type Environment = Readonly<Record<string, string | undefined>>;

export interface TrustOptions {
  readonly env: Environment;
  /** `--trust`: everything is trusted, and remembered. */
  readonly isGiven: boolean;
  /** Asks the person at the terminal; undefined if there is no terminal. */
  readonly ask: ((text: string) => Promise<boolean>) | undefined;
}

/** What this user trusts. It is stored in the user's config folder, which files of a project cannot change (SEC10). */
export class Trust {
  readonly #file: string;
  readonly #options: TrustOptions;

  constructor(options: TrustOptions) {
    this.#file = trustFile(options.env);
    this.#options = options;
  }

  /** Whether the subject is already trusted. Does not ask. */
  knows({ path, mark }: Subject): boolean {
    return mark !== undefined && readMarks(this.#file)[path] === mark;
  }

  /** Returns if all subjects are trusted, after asking about new ones. @throws SettingsError naming those that are not */
  async require(subjects: readonly Subject[]): Promise<void> {
    const unknown = subjects.filter((subject) => !this.knows(subject));
    if (unknown.length === 0) return;
    const list = unknown.map(({ path, words }) => `  ${toLine(`${path}: ${words}`)}`).join('');
    const { isGiven, ask } = this.#options;
    if (!isGiven && !(await ask?.(`${question}\n${list}`))) throw new SettingsError(`${refusal}\n${list}${advice}`);
    this.remember(unknown);
  }

  /** Trusts these from now on. If that cannot be stored, the next start asks again. */
  remember(subjects: readonly Subject[]): void {
    const known = readMarks(this.#file);
    const added = subjects.flatMap(({ path, mark }) =>
      mark === undefined || known[path] === mark ? [] : [[path, mark] as const],
    );
    if (added.length === 0) return;
    try {
      writeMarks(this.#file, { ...known, ...Object.fromEntries(added) });
    } catch (cause) {
      process.emitWarning(`${this.#file}, which records what you trust, could not be written: ${cause}`);
    }
  }
}

/** Opens the trust of the user who runs this command; asks them if there is a terminal. */
export function openTrust(env: Environment, isGiven: boolean): Trust {
  return new Trust({ env, isGiven, ask: askAtTerminal('Trust them until they change?') });
}

const question = 'Nobody named these, and Parley would run or obey them because they are in this folder:';
const refusal = 'These are in the current folder, and nobody has said that they are trusted:';
const advice =
  'Look at them first. --trust trusts them until they change; so does naming them, by --config, --plugin or --data-dir.';

function trustFile({ XDG_CONFIG_HOME: folder, HOME: home }: Environment): string {
  const base = folder && isAbsolute(folder) ? folder : join(home || homedir(), '.config');
  return join(base, 'parley', 'trust.json');
}

const trusted = z.object({ trusted: z.record(z.string(), z.string()) });

/** Reads the marks of trusted subjects, by path; empty if there is no such file, or others could have written it. */
function readMarks(file: string): Record<string, string> {
  let descriptor: number;
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch {
    return {};
  }
  try {
    const { uid, mode } = fstatSync(descriptor);
    if (uid !== (process.getuid?.() ?? uid) || (mode & 0o022) !== 0) return {};
    return trusted.parse(JSON.parse(readFileSync(descriptor, 'utf8'))).trusted;
  } catch {
    return {}; // unreadable: the user is asked again
  } finally {
    closeSync(descriptor);
  }
}

/** Writes the marks atomically, because two commands may start at once. */
function writeMarks(file: string, marks: Readonly<Record<string, string>>): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${randomUUID()}`;
  writeFileSync(temporary, `${JSON.stringify({ trusted: marks }, undefined, 2)}\n`, { mode: 0o600, flag: 'wx' });
  renameSync(temporary, file);
}
