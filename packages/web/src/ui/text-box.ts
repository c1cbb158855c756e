import { css, html, LitElement, type PropertyValues } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import { CodeText, codeStyles } from './code-text.ts';
import { copyStyles, renderCopy } from './copy.ts';
import { icons } from './icons.ts';

/** How far from the end, in pixels, a reader still counts as being there. */
const nearEnd = 24;

/**
 * Text as a program wrote it, in a scrolling box, with buttons to wrap and copy it. While it is live, the box follows its end.
 */
@customElement('parley-text')
export class TextBox extends LitElement {
  static override styles = [
    base,
    controls,
    copyStyles,
    codeStyles,
    css`
      :host {
        background: var(--sunken);
        border: 1px solid var(--line);
        border-radius: var(--r-control);
        overflow: clip;
      }
      .bar {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        justify-content: end;
        gap: var(--s1);
        min-height: 2rem;
        padding-inline: var(--s2) 2px;
        font: var(--text-meta) var(--sans);
        color: var(--ink-3);
      }
      slot {
        display: block;
        flex: 1 0 auto;
        max-width: 100%;
      }
      button.icon {
        min-height: 1.75rem;
        width: 1.75rem;
        font-size: 0.9375rem;
        color: var(--ink-3);
      }
      button[aria-pressed="true"] {
        color: var(--accent);
      }
      pre {
        font: 400 0.8125rem/1.25rem var(--mono);
        color: var(--ink);
        padding: 0 var(--s3) var(--s2);
        max-height: 22rem;
        overflow: auto;
        tab-size: 4;
        overflow-wrap: normal;
      }
      pre:focus-visible {
        outline-offset: -2px;
      }
      .wrapped {
        white-space: pre-wrap;
        overflow-wrap: anywhere;
      }
      @media (pointer: coarse) {
        button.icon {
          min-height: 2.75rem;
          width: 2.75rem;
        }
      }
    `,
  ];

  /** Accessible name of the box, which says what the text is. */
  @property() label = '';
  @property({ attribute: false }) text = '';
  /** Description of the text's size. */
  @property() size = '';
  /** Language of code; empty for other text. */
  @property() language = '';
  @property({ type: Boolean }) isLive = false;

  @state() private isWrapped = true;
  @query('pre') private box!: HTMLElement | null;
  #isAtEnd = true;
  readonly #code = new CodeText(this);

  override render() {
    return html`<div class="bar">
        <slot></slot>
        <span>${this.size}</span>
        <button class="icon" aria-label="Wrap long lines" title="Wrap long lines" aria-description="" aria-pressed=${this.isWrapped} @click=${this.#wrap}>
          ${icons.wrap}
        </button>
        ${renderCopy(`Copy: ${this.label}`, () => this.text)}
      </div>
      <pre
        class="untrusted ${this.isWrapped ? 'wrapped' : ''}"
        dir="ltr"
        tabindex="0"
        role="group"
        aria-label=${this.label}
        @scroll=${this.#onScroll}
      >${this.#code.render(this.text, this.language)}</pre>`;
  }

  protected override updated(changed: PropertyValues<this>): void {
    if (changed.has('text') && this.isLive && this.#isAtEnd && this.box) this.box.scrollTop = this.box.scrollHeight;
  }

  #wrap(): void {
    this.isWrapped = !this.isWrapped;
  }

  #onScroll(): void {
    const { scrollTop = 0, clientHeight = 0, scrollHeight = 0 } = this.box ?? {};
    this.#isAtEnd = scrollTop + clientHeight > scrollHeight - nearEnd;
  }
}
