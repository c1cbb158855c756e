import { css, html, LitElement } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import { CodeText, codeStyles } from './code-text.ts';
import { copyStyles, renderCopy } from './copy.ts';
import { renderUntrusted } from './untrusted-text.ts';

/** Code in a message, with its language and a copy button. */
@customElement('parley-code')
export class CodeBlock extends LitElement {
  static override styles = [
    base,
    controls,
    copyStyles,
    codeStyles,
    css`
      figure {
        margin: 0;
        background: var(--sunken);
        border: 1px solid var(--line);
        border-radius: var(--r-control);
        overflow: clip;
      }
      figcaption {
        display: flex;
        align-items: center;
        justify-content: space-between;
        padding-inline: var(--s3) 2px;
        font: var(--text-meta) var(--sans);
        color: var(--ink-3);
      }
      pre {
        font: 400 0.8125rem/1.25rem var(--mono);
        padding: 0 var(--s3) var(--s3);
        overflow-x: auto;
        overflow-wrap: anywhere;
        white-space: var(--code-wrap, pre);
        tab-size: 4;
      }
      pre:focus-visible {
        outline-offset: -2px;
      }
    `,
  ];

  @property({ attribute: false }) text = '';
  @property({ attribute: false }) language = '';
  readonly #code = new CodeText(this);

  override render() {
    return html`<figure dir="ltr">
      <figcaption>
        <span>${renderUntrusted(this.language)}</span>${renderCopy('Copy this code', () => this.text)}
      </figcaption>
      <pre class="untrusted" tabindex="0">${this.#code.render(this.text, this.language)}</pre>
    </figure>`;
  }
}
