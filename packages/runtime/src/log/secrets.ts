import { type FormValues, type InteractionRequest, isRecord, type Json, redacted } from '@parleyhq/core';
import { formsOf } from './secret-forms.ts';
import { mark, TextFinder } from './text-finder.ts';

/** Minimum length to be found within a text; shorter secrets would redact ordinary words, and are found only as whole values. */
const shortest = 4;

/** A name in code does not contain a text of this length by chance. */
const unmistakable = 8;

/** Number of secrets remembered for the log; then the older half is dropped. It is more than an hour of work brings. */
const remembered = 1000;

/** The secrets that a call received, so that nothing it writes or streams contains one (INT17). In memory only. */
export class Secrets {
  #values = new Set<string>();
  #finder = new TextFinder();
  #longForms: string[] = [];
  readonly #all: Secrets | undefined;
  #hasLearned = false;
  /** The server's own secrets, which no call may reveal either. */
  readonly #standing: Set<string>;

  /** @param all - the secrets of all calls, none of which may appear in the log (SEC8) */
  constructor(all?: Secrets) {
    this.#all = all;
    this.#standing = all ? all.#standing : new Set();
    for (const value of this.#standing) this.#learn(value);
  }

  /** Redacts a value permanently, in the log and in everything that calls write. */
  keep(value: string): void {
    this.#standing.add(value);
    this.#learn(value);
  }

  add(value: string): void {
    if (value === '' || this.#values.has(value)) return;
    if (this.#values.size >= remembered) this.#forgetHalf();
    this.#learn(value);
    this.#all?.add(value);
  }

  /** Whether an answer contained secrets. */
  get hasLearned(): boolean {
    return this.#hasLearned;
  }

  learn({ inputSchema }: InteractionRequest, input: FormValues = {}): void {
    for (const field of inputSchema?.fields ?? []) {
      const value = input[field.id];
      if (field.type !== 'secret' || typeof value !== 'string') continue;
      this.#hasLearned = true;
      this.add(value);
    }
  }

  /** Whether there are no secrets, so that nothing needs to be searched. */
  get isEmpty(): boolean {
    return this.#values.size === 0;
  }

  /** Whether a value contains a secret anywhere. */
  occursIn(value: unknown): boolean {
    return this.redact(value) !== value;
  }

  /**
   * Whether a name made by code contains a secret. Short secrets are not considered, because they may be ordinary words that the
   * author chose.
   */
  occursInName(name: string): boolean {
    return this.#longForms.some((form) => name.includes(form));
  }

  /**
   * Returns the same value if it contains no secret, otherwise a copy with each secret replaced by the mark. Keys are never
   * changed.
   */
  redact<T>(value: T): T {
    return this.isEmpty ? value : (this.#replace(value, true) as T);
  }

  /** Like `redact`, but in texts alone: the numbers of a form's definition are not values. */
  redactTexts<T>(value: T): T {
    return this.isEmpty ? value : (this.#replace(value, false) as T);
  }

  /** Redacts a text that arrives in chunks. */
  stream(): SecretStream {
    let [rest, covered] = ['', 0];
    return {
      write: (text) => {
        if (this.isEmpty) return text;
        if (rest === '' && this.#values.has(text)) return mark;
        const scanned = this.#finder.scan(rest + text, covered, false);
        ({ rest, covered } = scanned);
        return scanned.clean;
      },
    };
  }

  #learn(value: string): void {
    this.#values.add(value);
    if (value.length < shortest) return;
    const forms = formsOf(value);
    for (const form of forms) this.#finder.add(form);
    if (value.length >= unmistakable) this.#longForms.push(...forms);
  }

  #forgetHalf(): void {
    const newest = [...this.#values].slice(-remembered / 2);
    this.#values = new Set();
    this.#finder = new TextFinder();
    this.#longForms = [];
    for (const value of [...this.#standing, ...newest]) this.#learn(value);
  }

  #replace(value: unknown, withNumbers: boolean): unknown {
    if (typeof value === 'string') return this.#values.has(value) ? mark : this.#finder.replace(value);
    if (typeof value === 'number') return withNumbers && this.#values.has(String(value)) ? mark : value;
    if (Array.isArray(value)) {
      const members = value.map((member) => this.#replace(member, withNumbers));
      return members.some((member, index) => member !== value[index]) ? members : value;
    }
    if (!isRecord(value)) return value;
    const entries = Object.entries(value).map(([key, member]) => [key, this.#replace(member, withNumbers)] as const);
    return entries.every(([key, member]) => value[key] === member) ? value : Object.fromEntries(entries);
  }
}

/** Marks redacted values for programs: a value that was redacted as a whole becomes an object, which nobody can type. */
export function markRedacted(value: Json): Json {
  if (value === mark) return redacted;
  if (Array.isArray(value)) return value.map(markRedacted);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, markRedacted(member as Json)]));
}

/** A text in chunks: the end of a chunk that may begin a secret is held back until the next one decides it. */
export interface SecretStream {
  /** Adds a chunk. @returns what may be shown now */
  write(text: string): string;
}
