import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { base } from '../styles/base.ts';

/** What the server says about a log-in with its provider. */
interface Ways {
  readonly oidc?: { readonly name: string };
}

let known: Promise<Ways> | undefined;

/** Reads the ways to log in besides a token, once. A server that does not respond has none for now. */
function readWays(): Promise<Ways> {
  known ??= fetchWays().catch(() => {
    known = undefined; // the next form asks again
    return {};
  });
  return known;
}

async function fetchWays(): Promise<Ways> {
  const response = await fetch('/api/login/ways');
  if (!response.ok) throw new Error(`The server responded with ${response.status}.`);
  return response.json();
}

/** Link to log in at the provider that the server names; nothing if it names none (SIGN1). */
@customElement('parley-provider-login')
export class ProviderLogin extends LitElement {
  static override styles = [
    base,
    css`
      :host {
        display: contents; /* without a provider, it takes no room */
      }
      a {
        display: flex;
        align-items: center;
        justify-content: center;
        min-height: var(--control);
        padding: var(--s1) var(--s3);
        border: 1px solid var(--line-strong);
        border-radius: var(--r-control);
        color: var(--ink);
        background: var(--surface);
        font: 500 var(--text-secondary) var(--sans);
        text-decoration: none;
        overflow-wrap: anywhere;
      }
      p {
        margin: var(--s3) 0;
        text-align: center;
        color: var(--ink-3);
        font: 400 var(--text-secondary) var(--sans);
      }
    `,
  ];

  /** Set if somebody who is logged in shows again who they are. */
  @property({ type: Boolean }) isAgain = false;
  @state() private name = '';

  override connectedCallback(): void {
    super.connectedCallback();
    void readWays().then(({ oidc }) => {
      this.name = oidc?.name ?? '';
    });
  }

  override render() {
    if (this.name === '') return nothing;
    const query = new URLSearchParams({ to: location.pathname, ...(this.isAgain && { again: '' }) });
    return html`<a href="/api/login/oidc?${query}">Log in ${this.isAgain ? 'again ' : ''}with ${this.name}</a>
      <p>or</p>`;
  }
}
