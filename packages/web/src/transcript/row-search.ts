import { foldText, type Seq } from '@parleyhq/core';
import { searchTextOf } from './row-text.ts';
import type { Row } from './rows.ts';

interface Known {
  readonly parts: readonly unknown[];
  readonly text: string;
}

/** Searches rows by their text, from the newest back. */
export class RowSearch {
  /** The query as it was typed. */
  #query = '';
  #hits: readonly Row[] = [];
  #at: Seq | undefined;
  readonly #texts = new Map<string, Known>();

  get query(): string {
    return this.#query;
  }

  get count(): number {
    return this.#hits.length;
  }

  /** Number of the current hit, counted from 1, the oldest first; 0 if there is none. */
  get number(): number {
    return this.#hits.findIndex(({ seq }) => seq === this.#at) + 1;
  }

  get current(): Row | undefined {
    return this.#hits[this.number - 1];
  }

  /** Starts a new search; the newest hit becomes the current one. */
  look(query: string, rows: readonly Row[]): void {
    this.#query = query;
    this.#at = undefined;
    this.update(rows);
  }

  /** Applies changed and added rows. The current hit stays. */
  update(rows: readonly Row[]): void {
    const wanted = foldText(this.#query.trim());
    this.#hits = wanted === '' ? [] : rows.filter((row) => this.#read(row).includes(wanted));
    if (this.number === 0) this.#at = this.#hits.at(-1)?.seq;
  }

  /** Goes to the next or previous hit, and wraps around at the ends. */
  move(by: 1 | -1): void {
    const { count } = this;
    if (count > 0) this.#at = this.#hits[(this.number - 1 + by + count) % count]?.seq;
  }

  #read(row: Row): string {
    const parts =
      row.kind === 'prompt'
        ? [row.chain.current]
        : [row.item, ...('chains' in row ? row.chains.map(({ current }) => current) : [])];
    const known = this.#texts.get(row.key);
    const isSame = known?.parts.length === parts.length && known.parts.every((part, n) => part === parts[n]);
    if (isSame) return known.text;
    const text = searchTextOf(row);
    this.#texts.set(row.key, { parts, text });
    return text;
  }
}
