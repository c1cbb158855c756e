import { type Subject, showHidden } from '@parleyhq/core';
import { css, html, LitElement, nothing, type PropertyValues } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import { disclosure } from '../styles/disclosure.ts';
import '../ui/markdown-text.ts';

const labels: Record<Subject['kind'], string> = {
  text: 'Details',
  command: 'Command',
  json: 'Data',
  diff: 'Changes',
  markdown: 'Text',
};

/**
 * Exactly what is asked about, as plain text, in a scrolling box that can be expanded. Markdown is also shown formatted;
 * formatting alone would hide where links lead (SEC5).
 */
@customElement('parley-subject')
export class SubjectBlock extends LitElement {
  static override styles = [
    base,
    controls,
    disclosure,
    css`
      figure {
        position: relative;
        margin: 0;
      }
      figcaption {
        font: 400 var(--text-meta) var(--sans);
        color: var(--ink-2);
        margin-bottom: var(--s1);
      }
      pre {
        font: 400 0.8125rem/1.55 var(--mono);
        white-space: pre-wrap;
        tab-size: 4;
      }
      .box,
      details pre {
        background: var(--sunken);
        border: 1px solid var(--line);
        border-radius: var(--r-control);
        padding: var(--s2) var(--s3);
        overflow-wrap: anywhere;
      }
      .box {
        padding-bottom: 0;
        max-height: max(7rem, min(40vh, 24rem)); /* at least four lines (WEB7) */
        overflow: auto;
      }
      .box.whole {
        max-height: none;
      }
      .end {
        display: block;
        height: var(--s2);
      }
      .more {
        margin-top: 0.35rem;
      }
      .formatted {
        --code-wrap: pre-wrap; /* wraps, so that nothing is hidden at the side (WEB7) */
        font-size: 0.875rem;
      }
      summary {
        font-size: 0.75rem;
      }
      parley-diff {
        margin-inline: calc(-1 * var(--s3));
      }
      .command {
        padding-inline-start: 2ch; /* continuation lines stand below the command, not below its sign */
        text-indent: -2ch;
      }
      .command::before {
        content: "$ ";
        color: var(--ink-3);
      }
      /* A line breaks between words: inside a flag it would be misread. */
      .word {
        display: inline-block;
        max-width: 100%;
        text-indent: 0;
      }
    `,
  ];

  @property({ attribute: false }) subject!: Subject;

  /** Whether all of it is shown, without a scrolling box. */
  @state() private isWhole = false;
  /** Whether it is longer than its box. */
  @state() private isLong = false;
  @query('.box') private box!: HTMLElement | null;
  readonly #resizes = new ResizeObserver(() => this.#measure());

  /** The element that marks the end, once it is rendered. */
  get end(): Element | null {
    return this.renderRoot.querySelector('.end');
  }

  override focus(): void {
    (this.renderRoot.querySelector<HTMLElement>('.more') ?? this.box)?.focus();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#resizes.disconnect();
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    const before = changed.get('subject');
    if (before && (before.kind !== this.subject.kind || before.text !== this.subject.text)) this.isWhole = false;
    if (this.subject.kind === 'diff' && !customElements.get('parley-diff')) void this.#loadDiff();
  }

  protected override updated(): void {
    for (const part of [this.box, this.box?.firstElementChild]) if (part) this.#resizes.observe(part);
  }

  override render() {
    const { kind, text } = this.subject;
    return html`<figure>
      <figcaption id="name">${labels[kind]}</figcaption>
      <div class="box ${this.isWhole ? 'whole' : ''}" tabindex="0" role="group" aria-labelledby="name">
        ${
          kind === 'markdown'
            ? html`<parley-markdown class="formatted" .text=${text}></parley-markdown>`
            : kind === 'diff' && customElements.get('parley-diff')
              ? html`<parley-diff .text=${text}></parley-diff>`
              : html`<pre class="${kind} untrusted">${kind === 'command' ? renderCommand(text) : showHidden(kind === 'json' ? indent(text) : text)}</pre>`
        }
        <i class="end" ?data-expanded=${this.isWhole}></i>
      </div>
      ${this.isLong ? html`<button class="more" aria-expanded="false" @click=${this.#expand}>Show all</button>` : nothing}
      ${kind === 'markdown' ? renderSource(text) : nothing}
    </figure>`;
  }

  /** Loads the view of changes. Until then, and if that fails, a diff is shown as plain text, so that all of it can be read. */
  async #loadDiff(): Promise<void> {
    const isLoaded = await import('../ui/diff-view.ts').then(
      () => true,
      () => false,
    );
    if (isLoaded) this.requestUpdate();
  }

  #measure(): void {
    const { scrollHeight = 0, clientHeight = 0 } = this.box ?? {};
    this.isLong = scrollHeight > clientHeight + 1;
  }

  async #expand(): Promise<void> {
    this.isWhole = true;
    await this.updateComplete;
    this.box?.focus({ preventScroll: true });
  }
}

/** How many characters of a command are worth an element for each word. */
const longestCommand = 4000;

/** Renders a command whose words stay whole unless one is longer than a line. */
function renderCommand(text: string) {
  const shown = showHidden(text);
  if (shown.length > longestCommand) return shown;
  return shown.split(/(\s+)/).map((part) => (/\S/.test(part) ? html`<span class="word">${part}</span>` : part));
}

function renderSource(text: string) {
  return html`<details>
    <summary>As it was written</summary>
    <pre class="untrusted" tabindex="0" role="group" aria-label="As it was written">${showHidden(text)}</pre>
  </details>`;
}

/** Indents JSON if that changes nothing but white space: people consent to exactly these bytes (APR2). */
function indent(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(value) === text ? JSON.stringify(value, null, 2) : text;
  } catch {
    return text;
  }
}
