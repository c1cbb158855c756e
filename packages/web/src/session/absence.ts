import { css, html, LitElement } from 'lit';
import { customElement, property, query } from 'lit/decorators.js';
import { base } from '../styles/base.ts';

/** Reports in the middle of the page that its address leads to nothing. */
@customElement('parley-absence')
export class Absence extends LitElement {
  static override styles = [
    base,
    css`
      :host {
        display: grid;
        overflow-y: auto;
      }
      div {
        display: grid;
        justify-items: center;
        gap: var(--s2);
        margin: auto;
        padding: var(--s6) var(--s4) 12vh;
        text-align: center;
        color: var(--ink-2);
      }
      .title {
        font: var(--text-h1) var(--sans);
        color: var(--ink);
      }
      .title:focus {
        outline: none;
      }
      a {
        display: inline-flex;
        align-items: center;
        min-height: var(--control);
      }
    `,
  ];

  @property() heading = 'There is nothing here';
  /** Address of the server, on another site's page. */
  @property() home = '';
  /** Whether the page has a main heading already. */
  @property({ type: Boolean }) isPart = false;
  @property() words = 'The address may be mistyped.';
  @query('.title') private top!: HTMLElement | null;

  override focus(): void {
    this.top?.focus();
  }

  override render() {
    return html`<div>
      ${
        this.isPart
          ? html`<h2 class="title" tabindex="-1">${this.heading}</h2>`
          : html`<h1 class="title" tabindex="-1">${this.heading}</h1>`
      }
      <p>${this.words}</p>
      <a href=${`${this.home}/`}>Go to the start page</a>
    </div>`;
  }
}
