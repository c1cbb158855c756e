import { describeBytes, type FileReference, isPicture, showHidden } from '@parleyhq/core';
import { css, html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { findEmbedding } from '../browser/embedding.ts';
import { base } from '../styles/base.ts';

/**
 * Files of an answer or a message, each with its size. If this page is logged in, they can be downloaded, and pictures are shown
 * small.
 */
@customElement('parley-given-files')
export class GivenFiles extends LitElement {
  static override styles = [
    base,
    css`
      ul {
        display: grid;
        gap: var(--s1);
        margin: 0;
        padding: 0;
        list-style: none;
      }
      li {
        overflow-wrap: anywhere;
        white-space: normal;
      }
      img {
        display: block;
        max-width: min(100%, 16rem);
        max-height: 10rem;
        margin-block-start: var(--s1);
        border: 1px solid var(--line);
        border-radius: var(--r-control);
      }
      .size {
        color: var(--ink-2);
      }
      @media (pointer: coarse) {
        a {
          display: inline-block;
          padding-block: 0.75rem;
        }
      }
    `,
  ];

  @property({ attribute: false }) files: readonly FileReference[] = [];
  /** Path of these files on the server. */
  @property() path = '';

  override render() {
    return html`<ul>${this.files.map((file, index) => this.#renderFile(file, index))}</ul>`;
  }

  /** Renders a file; only by name on another site's page, because our cookie is not sent from there. */
  #renderFile(file: FileReference, index: number) {
    const { name, size } = file;
    const address = findEmbedding(this) || this.path === '' ? undefined : `${this.path}/${index}`;
    const shown = html`<span class="untrusted">${showHidden(name)}</span>`;
    return html`<li>
      ${address === undefined ? shown : html`<a href=${address} download=${name}>${shown}</a>`}
      <span class="size">${describeBytes(size)}</span>
      ${address !== undefined && isPicture(file) ? html`<img src=${address} alt=${showHidden(name)} loading="lazy" />` : nothing}
    </li>`;
  }
}
