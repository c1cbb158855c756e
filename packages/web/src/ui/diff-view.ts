import { showHidden } from '@parleyhq/core';
import { css, html, LitElement, nothing, type PropertyValues } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { base } from '../styles/base.ts';
import type { Piece } from './changed-words.ts';
import { type DiffFile, type DiffLine, findFiles, findPairs, readDiff } from './diff-lines.ts';

/** How many pairs of lines are compared word by word. */
const maxPairs = 500;

/**
 * A diff: every line unchanged, with its line numbers next to it and, once compared, with its changed words marked. One line names
 * each file in place of its two heads.
 */
@customElement('parley-diff')
export class DiffView extends LitElement {
  static override styles = [
    base,
    css`
      pre {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        font: 400 0.8125rem/1.25rem var(--mono);
        white-space: pre-wrap;
        overflow-wrap: anywhere;
        tab-size: 4;
        direction: ltr;
      }
      pre > span {
        display: block;
        padding-inline: var(--s3);
        border-inline-start: 2px solid transparent;
      }
      .numbered > span {
        position: relative;
        padding-inline-start: 5.5rem;
      }
      /* Next to the text, and not part of it. */
      .numbered > span::before,
      .numbered > span::after {
        position: absolute;
        inset-block-start: 0;
        width: 2.25rem;
        text-align: end;
        color: var(--ink-3);
        user-select: none;
      }
      .numbered > span::before {
        content: attr(data-before);
        inset-inline-start: 0;
      }
      .numbered > span::after {
        content: attr(data-after);
        inset-inline-start: 2.5rem;
      }
      .added {
        background: var(--added);
        border-color: var(--ok);
      }
      .removed {
        background: var(--removed);
        border-color: var(--danger);
      }
      .numbered > .file {
        position: sticky;
        inset-block-start: calc(-1 * var(--s2)); /* the padding of the scrolling box */
        z-index: 1;
        display: flex;
        gap: var(--s3);
        margin-block-start: calc(-1 * var(--s2));
        padding: var(--s2) var(--s3);
        background: var(--sunken);
        border-block-end: 1px solid var(--line);
        font-weight: 600;
      }
      .numbered > .file ~ .file {
        margin-block-start: var(--s2);
        border-block-start: 1px solid var(--line);
      }
      .file > :first-child {
        min-width: 0;
      }
      .file .count {
        margin-inline-start: auto;
        font-weight: 400;
        white-space: nowrap;
      }
      .count i {
        font-style: normal;
        color: var(--ok);
      }
      .count i + i {
        color: var(--danger);
      }
      .head,
      .hunk,
      .note {
        color: var(--ink-3);
      }
      .hunk {
        padding-block: 2px;
      }
      .word {
        border-radius: 3px;
        font-weight: 600;
      }
      .added .word {
        background: color-mix(in srgb, var(--ok) 22%, transparent);
      }
      .removed .word {
        background: color-mix(in srgb, var(--danger) 18%, transparent);
      }
      @media (max-width: 30rem) {
        .numbered > span {
          padding-inline-start: 3.25rem;
        }
        .numbered > span::before {
          content: none;
        }
        .numbered > span::after {
          inset-inline-start: 0;
        }
        .numbered > .removed::after {
          content: attr(data-before);
        }
      }
    `,
  ];

  /** A unified diff. */
  @property({ attribute: false }) text = '';
  /** The lines of another comparison, instead of the text. */
  @property({ attribute: false }) lines: readonly DiffLine[] | undefined;
  @state() private words: ReadonlyMap<number, readonly Piece[]> = new Map();
  #lines: readonly DiffLine[] = [];

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('text') && !changed.has('lines')) return;
    this.#lines = this.lines ?? readDiff(this.text);
    this.words = new Map();
    void this.#compare(this.#lines);
  }

  override render() {
    const isNumbered = this.#lines.some(({ before, after }) => before !== undefined || after !== undefined);
    const files = new Map(isNumbered ? findFiles(this.#lines).map((file) => [file.at, file]) : []);
    const lines = this.#lines.map((line, n) => {
      const file = files.get(n);
      if (file) return renderFile(file);
      return files.has(n - 1) ? nothing : this.#renderLine(line, this.words.get(n));
    });
    return html`<pre class="diff untrusted ${isNumbered ? 'numbered' : ''}">${lines}</pre>`;
  }

  #renderLine({ kind, text, before, after }: DiffLine, pieces: readonly Piece[] | undefined) {
    const content = pieces
      ? pieces.map(({ text: piece, isChanged }) =>
          isChanged ? html`<span class="word">${showHidden(piece)}</span>` : showHidden(piece),
        )
      : showHidden(text) || ' ';
    return html`<span class=${kind} data-before=${before ?? ''} data-after=${after ?? ''}>${content}</span>`;
  }

  /** Marks the changed words, once the code for that is loaded; without it the lines are shown without marks. */
  async #compare(lines: readonly DiffLine[]): Promise<void> {
    const pairs = findPairs(lines).slice(0, maxPairs);
    if (pairs.length === 0) return;
    const words = await import('./changed-words.ts').catch(() => undefined);
    if (!words || lines !== this.#lines) return;
    const found = pairs.flatMap(({ removed, added }): [number, readonly Piece[]][] => {
      const sides = words.compareWords(bodyOf(lines[removed]), bodyOf(lines[added]));
      return sides
        ? [
            [removed, [signOf('-'), ...sides[0]]],
            [added, [signOf('+'), ...sides[1]]],
          ]
        : [];
    });
    this.words = new Map(found);
  }
}

function renderFile({ path, added, removed }: DiffFile) {
  return html`<span class="file"><span>${showHidden(path)}</span><span class="count"><i>+${added}</i> <i>−${removed}</i></span></span>`;
}

const bodyOf = (line: DiffLine | undefined): string => line?.text.slice(1) ?? '';
const signOf = (text: string): Piece => ({ text, isChanged: false });
