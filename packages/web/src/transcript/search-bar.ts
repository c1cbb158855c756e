import { css, html, LitElement } from 'lit';
import { customElement, property, query } from 'lit/decorators.js';
import { isComposing } from '../browser/focus.ts';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import { icons } from '../ui/icons.ts';

export type SearchStep = CustomEvent<1 | -1>;

/**
 * The field that searches a session.
 * @fires parley-look - the text of the search
 * @fires parley-step - to the next or previous hit
 * @fires parley-close - the search ended
 */
@customElement('parley-search-bar')
export class SearchBar extends LitElement {
  static override styles = [
    base,
    controls,
    css`
      :host {
        border-block-end: 1px solid var(--line);
        background: var(--surface);
      }
      search {
        display: flex;
        align-items: center;
        gap: var(--s1);
        max-width: calc(var(--column) + 2 * var(--edge));
        margin-inline: auto;
        padding: var(--s1) var(--edge);
      }
      .field {
        flex: 1;
        min-width: 0;
      }
      .field::-webkit-search-cancel-button {
        display: none; /* the bar has a close button */
      }
      [role="status"] {
        font: var(--text-meta) var(--sans);
        font-variant-numeric: tabular-nums;
        color: var(--ink-3);
        white-space: nowrap;
        padding-inline: var(--s2);
      }
      .up svg {
        rotate: -90deg;
      }
      .down svg {
        rotate: 90deg;
      }
      @media (max-width: 30rem) {
        search {
          padding-inline: var(--s3);
        }
      }
    `,
  ];

  /** Number of hits so far. */
  @property({ type: Number }) count = 0;
  /** Number of the current hit, counted from 1. */
  @property({ type: Number }) number = 0;
  @property() text = '';
  /** Whether older messages are still being read. */
  @property({ type: Boolean }) isReading = false;
  @query('input') private field!: HTMLInputElement | null;

  override focus(): void {
    this.field?.select();
  }

  override render() {
    return html`<search>
      <input
        class="field"
        type="search"
        aria-label="Search this session"
        placeholder="Search this session"
        enterkeyhint="search"
        autocomplete="off"
        dir="auto"
        .value=${this.text}
        @input=${this.#look}
        @keydown=${this.#press}
      />
      <span role="status">${this.#describe()}</span>
      <button class="icon up" aria-label="Previous hit" title="Previous hit (Enter)" aria-description="Enter" ?disabled=${this.count === 0} @click=${() => this.#step(-1)}>
        ${icons.right}
      </button>
      <button class="icon down" aria-label="Next hit" title="Next hit (Shift+Enter)" aria-description="Shift+Enter" ?disabled=${this.count === 0} @click=${() => this.#step(1)}>
        ${icons.right}
      </button>
      <button class="icon" aria-label="Close the search" title="Close the search (Esc)" aria-description="Esc" @click=${this.#close}>${icons.cross}</button>
    </search>`;
  }

  #describe(): string {
    const more = this.isReading ? ' …' : '';
    if (this.text.trim() === '') return '';
    return this.count === 0 ? (this.isReading ? 'Searching …' : 'No hits') : `${this.number} of ${this.count}${more}`;
  }

  #look(): void {
    this.#fire('parley-look', this.field?.value ?? '');
  }

  #press(event: KeyboardEvent): void {
    if (isComposing(event)) return;
    if (event.key === 'Enter')
      this.#step(event.shiftKey ? 1 : -1); // the newest hit comes first
    else if (event.key === 'Escape') this.#close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #step(by: 1 | -1): void {
    this.#fire('parley-step', by);
  }

  #close(): void {
    this.#fire('parley-close', undefined);
  }

  #fire(name: string, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}
