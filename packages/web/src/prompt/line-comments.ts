import {
  type Annotation,
  hasVisible,
  type InteractionRequest,
  nameLines,
  quoteLines,
  type Subject,
  showHidden,
  splitLines,
} from '@parleyhq/core';
import { css, html, LitElement, nothing, type PropertyValues } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { isComposing } from '../browser/focus.ts';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import { icons } from '../ui/icons.ts';

/** The comments after a change. */
export type CommentsEvent = CustomEvent<readonly Annotation[]>;

type Lines = Annotation['lines'];

/**
 * A subject line by line, each with the comments of this person, which can be added, changed and removed (REV1). What is typed is a
 * comment at once, so that nothing has to be saved.
 * @fires parley-comments
 */
@customElement('parley-line-comments')
export class LineComments extends LitElement {
  static override styles = [
    base,
    controls,
    css`
      .lines {
        max-height: 40vh;
        overflow: auto;
        background: var(--sunken);
        border: 1px solid var(--line);
        border-radius: var(--r-control);
        padding-block: var(--s1);
        font: 400 0.8125rem/1.55 var(--mono);
      }
      .line {
        display: grid;
        grid-template-columns: 3.5ch minmax(0, 1fr);
        gap: 1ch;
        width: 100%;
        height: auto;
        min-height: 1.5rem;
        padding: 0 var(--s3) 0 var(--s1);
        border: 0;
        border-radius: 0;
        background: none;
        font: inherit;
        text-align: start;
        white-space: pre-wrap;
        overflow-wrap: anywhere;
        tab-size: 4;
      }
      .line::before {
        content: attr(data-n) / "";
        color: var(--ink-3);
        text-align: end;
      }
      .line .untrusted {
        max-width: none;
        overflow: visible;
        white-space: pre-wrap;
      }
      .line:hover {
        background: var(--hover);
      }
      .line.added {
        background: var(--added);
      }
      .line.removed {
        background: var(--removed);
      }
      .line.chosen {
        background: var(--accent-soft);
      }
      .line:focus-visible {
        outline-offset: -2px;
      }
      .comment {
        display: grid;
        gap: var(--s1);
        margin: var(--s1) var(--s3) var(--s2) calc(4.5ch + var(--s1));
        padding: var(--s2) var(--s3);
        background: var(--surface);
        border: 1px solid var(--line);
        border-radius: var(--r-control);
        font: 400 var(--text-secondary) var(--sans);
        white-space: pre-wrap;
        overflow-wrap: anywhere;
      }
      .says {
        color: var(--ink-2);
      }
      .comment pre {
        font: 400 0.8125rem/1.5 var(--mono);
        white-space: pre-wrap;
      }
      .buttons {
        display: flex;
        flex-wrap: wrap;
        gap: var(--s2);
        white-space: normal;
      }
      .end {
        display: block;
        height: var(--s1);
      }
      .hint {
        margin-top: var(--s1);
        font: 400 var(--text-meta) var(--sans);
        color: var(--ink-2);
      }
      textarea {
        min-height: 3.5rem;
        field-sizing: content;
        max-height: 30vh;
      }
      .other {
        font-family: var(--mono);
      }
      @media (max-width: 30rem) {
        .comment {
          margin-inline: var(--s2);
        }
      }
      @media (pointer: fine) {
        .by-touch {
          display: none;
        }
      }
      @media (pointer: coarse) {
        .by-keys {
          display: none;
        }
        .line {
          min-height: var(--control);
          align-content: center;
        }
        textarea {
          font-size: 1rem; /* iOS zooms into smaller text */
        }
      }
    `,
  ];

  @property({ attribute: false }) request!: InteractionRequest;
  @property({ attribute: false }) comments: readonly Annotation[] = [];
  @property({ type: Boolean }) isDisabled = false;

  /** The comment that is being written, which may be empty. */
  @state() private open: Annotation | undefined;
  /** The line that has the place in the order of focus, from 1. */
  @state() private current = 1;
  /** Where a selection by Shift and arrows began; it ends at `current`. */
  @state() private anchor: number | undefined;

  /** The mark at the end of the lines (WEB7). */
  get end(): Element | null {
    return this.renderRoot.querySelector('.end');
  }

  get #subject(): Subject {
    return this.request.subject ?? { kind: 'text', text: '' };
  }

  get #count(): number {
    return splitLines(this.#subject.text).length;
  }

  override focus(): void {
    this.#lineAt(this.current)?.focus();
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.get('request') && changed.get('request')?.digest !== this.request.digest)
      this.open = this.anchor = undefined;
  }

  override render() {
    const { kind, text } = this.#subject;
    const lines = splitLines(text);
    const all = this.open && !this.comments.includes(this.open) ? [...this.comments, this.open] : this.comments;
    return html`<div class="lines" role="group" aria-label="Lines to comment on" @keydown=${this.#press}>
        ${lines.map(
          (
            line,
            index,
          ) => html`${this.#renderLine(line, index + 1, kind)}${index + 1 === lines.length ? html`<i class="end"></i>` : nothing}
        ${all.filter(({ lines: [, to] }) => to === index + 1).map((each) => (each === this.open ? this.#renderEditor(each) : this.#renderComment(each)))}`,
        )}
      </div>
      <p class="hint">Choose a line to comment on it<span class="by-keys">; with Shift, several</span>.</p>`;
  }

  #renderLine(line: string, n: number, kind: Subject['kind']) {
    const [from, to] = this.#selected ?? this.open?.lines ?? [0, 0];
    const sign =
      kind === 'diff' && !/^(---|\+\+\+) /.test(line) ? { '+': 'added', '-': 'removed' }[line[0] ?? ''] : undefined;
    return html`<button
      class="line ${sign ?? ''} ${n >= from && n <= to ? 'chosen' : ''}"
      data-n=${n}
      tabindex=${n === this.current ? 0 : -1}
      aria-label="Line ${n}: ${showHidden(line) || 'empty'}"
      ?disabled=${this.isDisabled}
      @click=${({ detail, shiftKey }: MouseEvent) => this.#pressLine(n, detail === 0, shiftKey)}
      @focus=${() => {
        this.current = n;
      }}
    ><span class="untrusted" aria-hidden="true">${showHidden(line)}</span></button>`;
  }

  #renderComment(each: Annotation) {
    const name = nameComment(each);
    return html`<div class="comment" role="group" aria-label=${name}>
      ${each.comment ? html`<span class="own">${each.comment}</span>` : nothing}
      ${each.replacement === undefined ? nothing : html`<span class="says">${each.replacement ? 'Replace with:' : 'Delete this.'}</span>${each.replacement ? html`<pre>${each.replacement}</pre>` : nothing}`}
      <div class="buttons">
        <button class="plain" aria-label="Change the ${name}" ?disabled=${this.isDisabled} @click=${() => this.#edit(each)}>Change</button>
        <button class="plain" aria-label="Remove the ${name}" ?disabled=${this.isDisabled} @click=${() => this.#remove(each)}>Remove</button>
      </div>
    </div>`;
  }

  #renderEditor(each: Annotation) {
    const { comment = '', replacement } = each;
    return html`<div class="comment" role="group" aria-label=${nameComment(each)} @keydown=${this.#pressInEditor}>
      <textarea
        class="text"
        dir="auto"
        aria-label=${nameComment(each)}
        placeholder="What is wrong here?"
        .value=${comment}
        ?disabled=${this.isDisabled}
        @input=${(event: InputEvent) => this.#change({ ...each, comment: typedIn(event) })}
      ></textarea>
      ${
        replacement === undefined
          ? nothing
          : html`<span class="says" aria-hidden="true">Replace with:</span><textarea
              class="other"
              spellcheck="false"
              aria-label="Instead of these lines"
              .value=${replacement}
              ?disabled=${this.isDisabled}
              @input=${(event: InputEvent) => this.#change({ ...each, replacement: typedIn(event) })}
            ></textarea>`
      }
      <div class="buttons">
        <button @click=${this.#close}>Done</button>
        ${each.lines[1] < this.#count ? html`<button class="plain by-touch" @click=${() => this.#widen(each, each.lines[1] + 1)}>One more line</button>` : nothing}
        ${replacement === undefined ? html`<button class="plain" @click=${() => this.#suggest(each)}>${icons.pencil} Suggest a change</button>` : nothing}
        <button class="plain" @click=${() => this.#remove(each)}>Remove</button>
      </div>
    </div>`;
  }

  /** The lines that were selected by Shift and arrows. */
  get #selected(): Lines | undefined {
    const { anchor, current } = this;
    return anchor === undefined ? undefined : [Math.min(anchor, current), Math.max(anchor, current)];
  }

  #pressLine(n: number, isByKey: boolean, isMore: boolean): void {
    if (isByKey && this.#selected) this.#comment(this.#selected);
    else if (isMore && this.open) this.#widen(this.open, n);
    else this.#comment([n, n]);
  }

  /** Begins a comment on lines, or goes on with the one that they have. */
  #comment(lines: Lines): void {
    this.anchor = undefined;
    const known = this.comments.find((each) => each.lines[0] === lines[0] && each.lines[1] === lines[1]);
    this.#change({ ...known, ...this.#quote(lines) }, known);
    void this.#focusText();
  }

  /** Extends the comment that is being written to a line. */
  #widen(each: Annotation, n: number): void {
    const [from, to] = each.lines;
    this.#change({ ...each, ...this.#quote([Math.min(from, n), Math.max(to, n)]) }, each);
    void this.#focusText();
  }

  #quote(lines: Lines): Annotation {
    const quote = quoteLines(this.#subject, lines) ?? '';
    const signs = new Set(splitLines(quote).map((line) => line[0]));
    const side = this.#subject.kind !== 'diff' || signs.size > 1 ? undefined : sideOf[[...signs][0] ?? ''];
    return { lines, quote, side };
  }

  #suggest(each: Annotation): void {
    const { quote } = each;
    this.#change({ ...each, replacement: this.#subject.kind === 'diff' ? readNew(quote) : quote });
    void this.updateComplete.then(() => this.renderRoot.querySelector<HTMLElement>('.other')?.focus());
  }

  #edit(each: Annotation): void {
    this.open = each;
    void this.#focusText();
  }

  #change(next: Annotation, before: Annotation | undefined = this.open): void {
    const rest = this.comments.filter((each) => each !== before && each !== this.open);
    this.open = next;
    this.#publish(isBlank(next) ? rest : [...rest, next]);
  }

  #remove(each: Annotation): void {
    if (each === this.open) this.open = undefined;
    this.#publish(this.comments.filter((other) => other !== each));
    this.#return(each);
  }

  #close(): void {
    const { open } = this;
    this.open = undefined;
    if (open) this.#return(open);
  }

  #publish(comments: readonly Annotation[]): void {
    this.comments = comments;
    const changed: CommentsEvent = new CustomEvent('parley-comments', { detail: comments });
    this.dispatchEvent(changed);
  }

  /** Focuses the line of a comment that was closed. */
  #return({ lines: [, to] }: Annotation): void {
    this.current = to;
    void this.updateComplete.then(() => this.focus());
  }

  /** Focuses the comment that is being written, and shows all of it: on a phone the keyboard takes half of the page. */
  async #focusText(): Promise<void> {
    await this.updateComplete;
    const text = this.renderRoot.querySelector<HTMLElement>('.text');
    text?.focus({ preventScroll: true });
    text?.parentElement?.scrollIntoView({ block: 'nearest' });
  }

  #lineAt(n: number): HTMLElement | null {
    return this.renderRoot.querySelector(`.line[data-n="${n}"]`);
  }

  /** Arrows move between lines, with Shift they select several, and `c` comments. */
  #press(event: KeyboardEvent): void {
    const { target, key } = event;
    if (!(target instanceof HTMLElement) || !target.matches('.line')) return;
    const step = { ArrowUp: -1, ArrowDown: 1 }[key];
    if (step) {
      event.preventDefault();
      this.anchor = event.shiftKey ? (this.anchor ?? this.current) : undefined;
      this.#lineAt(this.current + step)?.focus();
    } else if (key === 'c' && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      event.stopPropagation();
      this.#comment(this.#selected ?? [this.current, this.current]);
    }
  }

  #pressInEditor(event: KeyboardEvent): void {
    if (isComposing(event)) return;
    if (event.key !== 'Escape' && !(event.key === 'Enter' && (event.ctrlKey || event.metaKey))) return;
    event.preventDefault();
    event.stopPropagation(); // it closes the comment, and neither leaves nor answers the card
    this.#close();
  }
}

/** Names a comment by its lines: "comment on line 3". */
function nameComment(annotation: Annotation): string {
  return `comment on ${nameLines(annotation).toLowerCase()}`;
}

/** Returns what lines of a diff read afterwards; for lines that are only removed, what they read before. */
function readNew(quote: string): string {
  const lines = splitLines(quote);
  const kept = lines.filter((line) => !line.startsWith('-'));
  return (kept.length > 0 ? kept : lines).map((line) => line.replace(/^[-+ ]/, '')).join('\n');
}

const sideOf: Readonly<Record<string, Annotation['side']>> = { '+': 'new', '-': 'old' };

function isBlank({ comment = '', replacement }: Annotation): boolean {
  return !hasVisible(comment) && replacement === undefined;
}

function typedIn({ target }: InputEvent): string {
  return (target as HTMLTextAreaElement).value;
}
