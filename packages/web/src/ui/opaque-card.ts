import { showHidden } from '@parleyhq/core';
import { css, html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { base } from '../styles/base.ts';
import { disclosure } from '../styles/disclosure.ts';
import { renderUntrusted } from './untrusted-text.ts';

/** Shows as JSON what cannot be rendered: nothing in a log is ever dropped (EVT5, WEB4). */
@customElement('parley-opaque')
export class OpaqueCard extends LitElement {
  static override styles = [
    base,
    disclosure,
    css`
      details {
        border: 1px dashed var(--line-strong);
        border-radius: var(--r-control);
        padding-inline: var(--s3);
        font: var(--text-secondary) var(--sans);
        color: var(--ink-2);
      }
      pre {
        font: 400 0.75rem/1.125rem var(--mono);
        white-space: pre-wrap;
        overflow-wrap: anywhere;
        max-height: 20rem;
        overflow: auto;
        padding-block-end: var(--s2);
      }
      summary {
        padding-block: var(--s2);
      }
      @media (pointer: coarse) {
        summary {
          padding-block: 0.875rem;
        }
      }
    `,
  ];

  @property() label = 'This version cannot show this';
  /** Type of an event that this version does not know. */
  @property() of = '';
  @property({ attribute: false }) value: unknown;

  override render() {
    return html`<details>
      <summary>${this.label}${this.of ? renderUntrusted(this.of) : nothing}</summary>
      <pre class="untrusted" tabindex="0" role="group" aria-label="JSON">${showHidden(JSON.stringify(this.value, null, 2) ?? '')}</pre>
    </details>`;
  }
}
