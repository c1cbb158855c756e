import { type FormValues, type InteractionRequest, isRecord } from '@parleyhq/core';

/** Shorter ones would blot out ordinary words; a form that asks for a secret should ask for a longer one. */
const shortest = 4;

const mark = '[redacted]';

/** So many are remembered for the log: more than any hour of work brings. */
const remembered = 1000;

/** The secrets that a call was given, so that nothing it writes or streams carries one (INT17). In memory only. */
export class Secrets {
  readonly #values = new Set<string>();
  readonly #all: Secrets | undefined;
  /** The server's own: no call may say them either. */
  readonly #standing: Set<string>;

  /** @param all - those of all calls: the log knows what any of them must not say (SEC8) */
  constructor(all?: Secrets) {
    this.#all = all;
    this.#standing = all ? all.#standing : new Set();
  }

  /** Hides a value from the log and from everything that calls write, for good. */
  keep(value: string): void {
    this.#standing.add(value);
  }

  add(value: string): void {
    if (value.length < shortest) return;
    this.#values.delete(value);
    this.#values.add(value);
    for (const oldest of this.#values) {
      if (this.#values.size <= remembered) break;
      this.#values.delete(oldest);
    }
    this.#all?.add(value);
  }

  learn({ inputSchema }: InteractionRequest, input: FormValues = {}): void {
    for (const field of inputSchema?.fields ?? []) {
      const value = input[field.id];
      if (field.type === 'secret' && typeof value === 'string') this.add(value);
    }
  }

  /** Whether a value carries a secret anywhere. */
  occursIn(value: unknown): boolean {
    return this.redact(value) !== value;
  }

  /** The same value where nothing occurs; else a copy with the mark in each secret's place. */
  redact<T>(value: T): T {
    return this.#values.size + this.#standing.size === 0 ? value : (this.#replace(value) as T);
  }

  #replace(value: unknown): unknown {
    if (typeof value === 'string') return this.#replaceText(value);
    if (Array.isArray(value)) {
      const members = value.map((member) => this.#replace(member));
      return members.some((member, index) => member !== value[index]) ? members : value;
    }
    if (!isRecord(value)) return value;
    const entries = Object.entries(value).map(
      ([key, member]) => [this.#replaceText(key), this.#replace(member)] as const,
    );
    const isSame = entries.every(([key, member]) => Object.hasOwn(value, key) && value[key] === member);
    return isSame ? value : Object.fromEntries(entries);
  }

  #replaceText(text: string): string {
    let clean = text;
    for (const secret of [...this.#standing, ...this.#values]) clean = clean.replaceAll(secret, mark);
    return clean;
  }
}
