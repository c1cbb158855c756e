import { css, html, LitElement } from 'lit';
import { customElement, property, query } from 'lit/decorators.js';
import { base } from '../styles/base.ts';

/** Says in the middle of the page that what the address names is not there. */
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
      h1 {
        font: var(--text-h1) var(--sans);
        color: var(--ink);
      }
      h1:focus {
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
  /** The server's origin, where the page is another's. */
  @property() home = '';
  @property() words = 'The address may be mistyped.';
  @query('h1') private top!: HTMLElement | null;

  override focus(): void {
    this.top?.focus();
  }

  override render() {
    return html`<div>
      <h1 tabindex="-1">${this.heading}</h1>
      <p>${this.words}</p>
      <a href=${`${this.home}/`}>Go to the start page</a>
    </div>`;
  }
}
