import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { logIn, readKey } from '../browser/login.ts';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import '../ui/provider-login.ts';

/**
 * Asks for the token that the server printed.
 * @fires parley-login - the token was accepted
 */
@customElement('parley-login')
export class LoginForm extends LitElement {
  static override styles = [
    base,
    controls,
    css`
      :host {
        display: grid;
        place-items: center;
        align-content: safe center;
        height: 100dvh;
        padding: var(--s4);
        overflow-y: auto;
      }
      form {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        gap: var(--s2);
        width: min(24rem, 100%);
        background: var(--surface);
        border: 1px solid var(--line);
        border-radius: var(--r-card);
        box-shadow: var(--shadow);
        padding: var(--s5);
      }
      h1 {
        display: flex;
        align-items: center;
        gap: var(--s2);
        font: var(--text-h1) var(--sans);
      }
      p {
        margin-bottom: var(--s2);
        color: var(--ink-2);
        font: 400 var(--text-secondary) var(--sans);
      }
      label {
        font: 500 var(--text-secondary) var(--sans);
      }
      .error {
        margin: 0;
        color: var(--danger);
      }
      button {
        margin-top: var(--s2);
      }
    `,
  ];

  /** Why the last attempt failed. */
  @property() error = '';
  @state() private isBusy = false;

  override render() {
    return html`<form @submit=${this.#submit}>
      <h1><img src="/icon.svg" width="24" height="24" alt="" />Parley</h1>
      <parley-provider-login></parley-provider-login>
      <p>Paste your token, or the address that the server printed when it started.</p>
      <label for="token">Token</label>
      <input
        id="token"
        type="password"
        autocomplete="current-password"
        required
        aria-invalid=${this.error ? 'true' : nothing}
        aria-describedby=${this.error ? 'error' : nothing}
      />
      ${this.error ? html`<p class="error" id="error" role="alert">${this.error}</p>` : nothing}
      <button class="primary" ?disabled=${this.isBusy}>Log in</button>
    </form>`;
  }

  protected override firstUpdated(): void {
    this.renderRoot.querySelector('input')?.focus(); // there is nothing else to do
  }

  async #submit(event: Event): Promise<void> {
    event.preventDefault();
    const typed = this.renderRoot.querySelector('input')?.value.trim() ?? '';
    this.isBusy = true;
    const fault = await logIn(readKey(typed) ?? { token: typed }).catch(() => 'The server is not responding.');
    this.isBusy = false;
    if (fault === undefined) this.dispatchEvent(new CustomEvent('parley-login', { bubbles: true, composed: true }));
    else this.error = fault;
  }
}
