import {
  type Annotation,
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
      @media (pointer: coarse) {
        .line {
          min-height: 2rem;
          align-items: center;
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

  get #subject(): Subject {
    return this.request.subject ?? { kind: 'text', text: '' };
  }

  override focus(): void {
    this.#lineAt(this.current)?.focus();
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.get('request') && changed.get('request')?.digest !== this.request.digest) this.open = undefined;
  }

  override render() {
    const { kind, text } = this.#subject;
    const lines = splitLines(text);
    const all = this.open && !this.comments.includes(this.open) ? [...this.comments, this.open] : this.comments;
    return html`<div class="lines" role="group" aria-label="Lines to comment on" @keydown=${this.#press}>
        ${lines.map(
          (line, index) => html`${this.#renderLine(line, index + 1, kind)}
        ${all.filter(({ lines: [, to] }) => to === index + 1).map((each) => (each === this.open ? this.#renderEditor(each) : this.#renderComment(each)))}`,
        )}
      </div>
      <p class="hint">Choose a line to comment on it; with Shift, several.</p>`;
  }

  #renderLine(line: string, n: number, kind: Subject['kind']) {
    const [from, to] = this.open?.lines ?? [0, 0];
    const sign =
      kind === 'diff' && !/^(---|\+\+\+) /.test(line) ? { '+': 'added', '-': 'removed' }[line[0] ?? ''] : undefined;
    return html`<button
      class="line ${sign ?? ''} ${n >= from && n <= to ? 'chosen' : ''}"
      data-n=${n}
      tabindex=${n === this.current ? 0 : -1}
      aria-label="Line ${n}: ${showHidden(line) || 'empty'}"
      ?disabled=${this.isDisabled}
      @click=${(event: MouseEvent) => this.#choose(n, event.shiftKey)}
      @focus=${() => {
        this.current = n;
      }}
    ><span class="untrusted" aria-hidden="true">${showHidden(line)}</span></button>`;
  }

  #renderComment(each: Annotation) {
    const name = nameComment(each);
    return html`<div class="comment" role="group" aria-label=${name}>
      ${each.comment ? html`<span class="own">${each.comment}</span>` : nothing}
      ${each.replacement === undefined ? nothing : html`<pre>${each.replacement || 'Delete this.'}</pre>`}
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
          : html`<textarea
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
        ${replacement === undefined ? html`<button class="plain" @click=${() => this.#suggest(each)}>${icons.pencil} Suggest a change</button>` : nothing}
        <button class="plain" @click=${() => this.#remove(each)}>Remove</button>
      </div>
    </div>`;
  }

  /** Begins a comment on a line; if `isMore`, widens the one that is being written. */
  #choose(n: number, isMore: boolean): void {
    const [from, to] = (isMore && this.open?.lines) || [n, n];
    const lines: Lines = [Math.min(from, n), Math.max(to, n)];
    const known = isMore ? this.open : this.comments.find((each) => each.lines[0] === n && each.lines[1] === n);
    this.#change({ ...known, ...this.#quote(lines) }, known);
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
    const plain = this.#subject.kind === 'diff' ? quote.replace(/^[-+ ]/gm, '') : quote;
    this.#change({ ...each, replacement: plain });
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

  async #focusText(): Promise<void> {
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLElement>('.text')?.focus();
  }

  #lineAt(n: number): HTMLElement | null {
    return this.renderRoot.querySelector(`.line[data-n="${n}"]`);
  }

  /** Arrows move between lines, `c` comments on one. */
  #press(event: KeyboardEvent): void {
    const { target, key } = event;
    if (!(target instanceof HTMLElement) || !target.matches('.line')) return;
    const step = { ArrowUp: -1, ArrowDown: 1 }[key];
    if (step) {
      event.preventDefault();
      this.#lineAt(this.current + step)?.focus();
    } else if (key === 'c' && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      event.stopPropagation();
      this.#choose(this.current, false);
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

const sideOf: Readonly<Record<string, Annotation['side']>> = { '+': 'new', '-': 'old' };

function isBlank({ comment = '', replacement }: Annotation): boolean {
  return comment.trim() === '' && replacement === undefined;
}

function typedIn({ target }: InputEvent): string {
  return (target as HTMLTextAreaElement).value;
}
