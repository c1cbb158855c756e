import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { isComposing } from '../browser/focus.ts';
import { findObstacle, listPasskeys, type Passkey, renamePasskey } from '../browser/passkeys.ts';
import { describeDevice } from '../browser/tab.ts';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import { formatTime } from '../ui/time.ts';
import { renderUntrusted } from '../ui/untrusted-text.ts';

/** Lists the person's passkeys, adds others, renames and removes them (SIGN2). Empty if nobody logs in at this server. */
@customElement('parley-own-passkeys')
export class OwnPasskeys extends LitElement {
  static override styles = [
    base,
    controls,
    css`
      section {
        display: grid;
        gap: var(--s3);
        padding-block: var(--s4);
        border-top: 1px solid var(--line);
      }
      h3 {
        font: var(--text-h3) var(--sans);
      }
      li {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: var(--s3);
        padding-block: var(--s2);
      }
      li div,
      li input {
        flex: 1;
        min-width: 0;
        overflow-wrap: anywhere;
      }
      p {
        font: 400 var(--text-secondary) var(--sans);
        color: var(--ink-2);
      }
      li p:first-child {
        font-weight: 500;
        color: var(--ink);
      }
    `,
  ];

  /** Asks for the token again (SEC9). */
  @property({ attribute: false }) logInAgain!: () => Promise<boolean>;

  @state() private passkeys: readonly Passkey[] = [];
  @state() private renamed: string | undefined;
  @state() private isBusy = false;
  @state() private failure = '';
  @query('input') private input!: HTMLInputElement | null;

  /** Reads what the server knows. */
  async load(): Promise<void> {
    this.renamed = undefined;
    await this.#do(async () => undefined);
  }

  override render() {
    const { passkeys } = this;
    const obstacle = findObstacle();
    return html`<section aria-labelledby="passkeys">
      <h3 id="passkeys" tabindex="-1">Passkeys</h3>
      ${passkeys.length === 0 ? html`<p>You have none. With one you can answer what needs more than a log-in: this device or a key asks who you are.</p>` : nothing}
      <ul>
        ${passkeys.map((passkey) => (this.renamed === passkey.id ? this.#renderName(passkey) : this.#renderPasskey(passkey)))}
      </ul>
      ${this.failure ? html`<p class="failure" role="alert">${this.failure}</p>` : nothing}
      ${
        obstacle === undefined
          ? html`<p><button ?disabled=${this.isBusy} @click=${this.#add}>Add a passkey</button></p>`
          : html`<p>${obstacle}</p>`
      }
    </section>`;
  }

  #renderPasskey({ id, name, origin, createdAt, lastUsedAt, fingerprint }: Passkey) {
    const where = origin === location.origin ? '' : ` · for ${origin}`;
    const use = lastUsedAt === undefined ? ' · never used' : ` · last used ${formatTime(lastUsedAt)}`;
    return html`<li>
      <div>
        <p>${renderUntrusted(name)}</p>
        <p>since ${formatTime(createdAt)}${use}${renderUntrusted(where)}</p>
        <p>${fingerprint}</p>
      </div>
      <button aria-label="Rename ${name}" ?disabled=${this.isBusy} @click=${() => this.#begin(id)}>Rename</button>
      <button class="danger" aria-label="Remove ${name}" ?disabled=${this.isBusy} @click=${() => this.#remove(id)}>Remove</button>
    </li>`;
  }

  #renderName({ id, name }: Passkey) {
    return html`<li>
      <input aria-label="Name of the passkey" maxlength="100" .value=${name} @keydown=${(event: KeyboardEvent) => this.#press(event, id)} />
      <button @click=${() => this.#rename(id)}>Save</button>
    </li>`;
  }

  #add = (): Promise<void> =>
    this.#do(async () => {
      const { addPasskey } = await import('../browser/change-passkeys.ts');
      await addPasskey(describeDevice(), this.logInAgain);
    });

  async #begin(id: string): Promise<void> {
    this.renamed = id;
    await this.updateComplete;
    this.input?.select();
  }

  #press(event: KeyboardEvent, id: string): void {
    if (isComposing(event)) return;
    if (event.key === 'Enter') void this.#rename(id);
    if (event.key !== 'Escape') return;
    event.preventDefault(); // the dialog stays open
    event.stopPropagation();
    this.renamed = undefined;
  }

  async #rename(id: string): Promise<void> {
    const name = this.input?.value.trim() ?? '';
    this.renamed = undefined;
    await this.#do(async () => (name === '' ? undefined : renamePasskey(id, name)));
    await this.#focusHeading();
  }

  /** Removes a passkey, then moves the focus off the button that is no longer there. */
  async #remove(id: string): Promise<void> {
    await this.#do(async () => {
      const { removePasskey } = await import('../browser/change-passkeys.ts');
      await removePasskey(id, this.logInAgain);
    });
    await this.#focusHeading();
  }

  async #focusHeading(): Promise<void> {
    await this.updateComplete;
    this.renderRoot.querySelector('h3')?.focus();
  }

  /** Does something, then shows what the server knows afterwards. */
  async #do(work: () => Promise<void>): Promise<void> {
    this.failure = '';
    this.isBusy = true;
    try {
      await work();
    } catch (error) {
      this.failure = (error as Error).message;
    }
    await listPasskeys().then(
      (passkeys) => {
        this.passkeys = passkeys;
      },
      (error: Error) => {
        this.failure ||= error.message;
      },
    );
    this.isBusy = false;
  }
}
