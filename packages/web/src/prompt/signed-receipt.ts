import { css, html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { findEmbedding } from '../browser/embedding.ts';
import { base } from '../styles/base.ts';

/** Link to the signed receipt of a settled prompt (SIGN3); not on another site's page, because our cookie is not sent from there. */
@customElement('parley-signed-receipt')
export class SignedReceipt extends LitElement {
  static override styles = [
    base,
    css`
      @media (pointer: coarse) {
        a {
          display: inline-block;
          padding-block: 0.75rem;
        }
      }
    `,
  ];

  /** Path of the prompt on the server. */
  @property() path = '';

  override render() {
    return findEmbedding(this) ? nothing : html`<a href="${this.path}/receipt" download>Signed receipt</a>`;
  }
}
