import { type FormValues, type InteractionRequest, isRecord, type Json, redacted } from '@parleyhq/core';
import { formsOf } from './secret-forms.ts';
import { mark, TextFinder } from './text-finder.ts';

/** Shorter ones would blot out ordinary words: they are found only where they are all of a value. */
const shortest = 4;

/** No word of an author's code is this long and the same by chance. */
const unmistakable = 8;

/** So many are remembered for the log, and then the newer half of them: more than any hour of work brings. */
const remembered = 1000;

/** The secrets that a call was given, so that nothing it writes or streams carries one (INT17). In memory only. */
export class Secrets {
  #values = new Set<string>();
  #finder = new TextFinder();
  #longForms: string[] = [];
  readonly #all: Secrets | undefined;
  /** The server's own: no call may say them either. */
  readonly #standing: Set<string>;

  /** @param all - those of all calls: the log knows what any of them must not say (SEC8) */
  constructor(all?: Secrets) {
    this.#all = all;
    this.#standing = all ? all.#standing : new Set();
    for (const value of this.#standing) this.#learn(value);
  }

  /** Hides a value from the log and from everything that calls write, for good. */
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

  learn({ inputSchema }: InteractionRequest, input: FormValues = {}): void {
    for (const field of inputSchema?.fields ?? []) {
      const value = input[field.id];
      if (field.type === 'secret' && typeof value === 'string') this.add(value);
    }
  }

  /** Nothing is secret: nothing needs to be looked through. */
  get isEmpty(): boolean {
    return this.#values.size === 0;
  }

  /** Whether a value carries a secret anywhere. */
  occursIn(value: unknown): boolean {
    return this.redact(value) !== value;
  }

  /** Whether a name that code made carries a secret. A short one may be an ordinary word, and the name its author's own. */
  occursInName(name: string): boolean {
    return this.#longForms.some((form) => name.includes(form));
  }

  /** The same value where nothing occurs; else a copy with the mark in each secret's place. Keys are never changed. */
  redact<T>(value: T): T {
    return this.isEmpty ? value : (this.#replace(value, true) as T);
  }

  /** As `redact`, in texts alone: a form's numbers are no values. */
  redactTexts<T>(value: T): T {
    return this.isEmpty ? value : (this.#replace(value, false) as T);
  }

  /** For a text that comes in pieces. */
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

/** What was redacted, for programs: a whole value that was taken out is an object, which nothing that was typed can be. */
export function markRedacted(value: Json): Json {
  if (value === mark) return redacted;
  if (Array.isArray(value)) return value.map(markRedacted);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, markRedacted(member as Json)]));
}

/** Text in pieces: the end of a piece that may begin a secret is kept back until the next one decides it. */
export interface SecretStream {
  /** What may be shown by now. */
  write(text: string): string;
}
