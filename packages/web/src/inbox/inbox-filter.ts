import type { InboxEntry } from '@parleyhq/core';
import { showHidden } from '@parleyhq/core';
import { css, html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { riskLabels } from '../prompt/words.ts';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import { type InboxFilter, noFilter } from './inbox-rows.ts';

/** From how many prompts on a filter helps. */
const fewest = 10;

/**
 * Filters a long inbox by session or risk, whichever has more than one value.
 * @fires parley-filter - the new filter
 */
@customElement('parley-inbox-filter')
export class InboxFilterBar extends LitElement {
  static override styles = [
    base,
    controls,
    css`
      :host {
        display: flex;
        flex-wrap: wrap;
        gap: var(--s2);
      }
      select {
        width: auto;
        max-width: 12rem;
        font: 400 var(--text-secondary) var(--sans);
      }
      @media (pointer: coarse) {
        select {
          font-size: 1rem; /* iOS zooms into less */
        }
      }
    `,
  ];

  @property({ attribute: false }) entries: readonly InboxEntry[] = [];
  @property({ attribute: false }) filter: InboxFilter = noFilter;
  @property({ attribute: false }) titleOf!: (entry: InboxEntry) => string;

  override render() {
    if (this.entries.length < fewest && !this.filter.sessionId && !this.filter.risk) return nothing;
    const sessions = new Map(this.entries.map((entry) => [entry.sessionId, this.titleOf(entry)]));
    const risks = new Map(
      this.entries.flatMap(({ interaction: { risk } }) => (risk ? [[risk, riskLabels[risk]]] : [])),
    );
    return [
      this.#renderChoice('sessionId', 'Session', 'All sessions', sessions),
      this.#renderChoice('risk', 'Risk', 'Any risk', risks),
    ];
  }

  #renderChoice(name: keyof InboxFilter, label: string, all: string, options: ReadonlyMap<string, string>) {
    const chosen = this.filter[name];
    if (options.size < 2 && chosen === '') return nothing;
    const choose = ({ target }: Event) => {
      const detail: InboxFilter = { ...this.filter, [name]: (target as HTMLSelectElement).value };
      this.dispatchEvent(new CustomEvent('parley-filter', { detail, bubbles: true, composed: true }));
    };
    return html`<select aria-label=${label} @change=${choose}>
      <option value="" ?selected=${chosen === ''}>${all}</option>
      ${[...options].map(([value, words]) => html`<option value=${value} ?selected=${value === chosen} class="untrusted">${showHidden(words)}</option>`)}
    </select>`;
  }
}
