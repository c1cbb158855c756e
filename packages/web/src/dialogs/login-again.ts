import { html, LitElement, nothing } from 'lit';
import { customElement, query, state } from 'lit/decorators.js';
import { proveLogin, readKey } from '../browser/login.ts';
import '../ui/provider-login.ts';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import { plainDialog, smallDialog } from '../styles/dialog.ts';
import '../ui/sheet-handle.ts';

/** Asks people to show again who they are before an action that needs a recent log-in (SEC9): at the provider, or with the token. */
@customElement('parley-login-again')
export class LoginAgain extends LitElement {
  static override styles = [base, controls, plainDialog, smallDialog];

  @state() private failure = '';
  @state() private isBusy = false;
  @query('dialog') private dialog!: HTMLDialogElement;
  @query('input') private input!: HTMLInputElement;
  #asking: Promise<boolean> | undefined;
  #settle: (isShown: boolean) => void = () => {};

  /**
   * Asks for the token; callers that ask meanwhile wait for the same answer. @returns whether the token was shown before the
   * dialog closed
   */
  ask(): Promise<boolean> {
    this.#asking ??= new Promise<boolean>((resolve) => {
      this.#settle = resolve;
      void this.#open();
    }).finally(() => {
      this.#asking = undefined;
      this.input.value = '';
    });
    return this.#asking;
  }

  async #open(): Promise<void> {
    await this.updateComplete;
    this.failure = '';
    this.dialog.showModal();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#settle(false);
  }

  override render() {
    return html`<dialog aria-labelledby="heading" @close=${() => this.#settle(false)}>
      <parley-handle></parley-handle>
      <form @submit=${this.#submit}>
        <h2 id="heading">Log in again</h2>
        <p>You logged in here a while ago, and this allows a lot. To go on, log in again the way you did then. Instead of a token you can paste the address that the server printed.</p>
        <parley-provider-login isAgain></parley-provider-login>
        <label for="token">Token</label>
        <input id="token" type="password" autocomplete="current-password" required aria-invalid=${this.failure ? 'true' : nothing} />
        ${this.failure ? html`<p class="failure" role="alert">${this.failure}</p>` : nothing}
        <div class="actions">
          <button type="button" class="plain" @click=${() => this.dialog.close()}>Cancel</button>
          <button class="primary" ?disabled=${this.isBusy}>Continue</button>
        </div>
      </form>
    </dialog>`;
  }

  async #submit(event: Event): Promise<void> {
    event.preventDefault();
    const typed = this.input.value.trim();
    this.isBusy = true;
    const fault = await proveLogin(readKey(typed) ?? { token: typed }).catch(() => 'The server is not responding.');
    this.isBusy = false;
    this.failure = fault ?? '';
    if (fault !== undefined) return;
    this.#settle(true);
    this.dialog.close();
  }
}
