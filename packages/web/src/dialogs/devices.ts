import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { isLoaded } from '../browser/is-loaded.ts';
import { type Device, endLogins, listLogins, type OwnLogins } from '../browser/login.ts';
import { describeDevice } from '../browser/tab.ts';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import { plainDialog } from '../styles/dialog.ts';
import '../ui/sheet-handle.ts';
import { formatTime } from '../ui/time.ts';
import { renderUntrusted } from '../ui/untrusted-text.ts';
import type { ChatAccounts } from './chat-accounts.ts';
import type { OwnPasskeys } from './own-passkeys.ts';

/** Lists the browsers that are logged in with the same token, and can log them out (SEC9). */
@customElement('parley-devices')
export class Devices extends LitElement {
  static override styles = [
    base,
    controls,
    plainDialog,
    css`
      dialog {
        width: min(32rem, calc(100vw - 2rem));
      }
      ul {
        margin-block: var(--s3);
      }
      li {
        display: flex;
        align-items: center;
        gap: var(--s3);
        padding-block: var(--s3);
        border-top: 1px solid var(--line);
      }
      li:first-child {
        border-top: 0;
      }
      li div {
        flex: 1;
        min-width: 0;
        overflow-wrap: anywhere;
      }
      li p:first-child {
        font-weight: 500;
        color: var(--ink);
      }
      li .here {
        font: 400 var(--text-meta) var(--sans);
        color: var(--accent);
      }
    `,
  ];

  /** Asks for the token again (SEC9). */
  @property({ attribute: false }) logInAgain!: () => Promise<boolean>;

  @state() private own: OwnLogins | undefined;
  @state() private failure = '';
  @query('dialog') private dialog!: HTMLDialogElement;
  @query('parley-chat-accounts') private accounts!: ChatAccounts;
  @query('parley-own-passkeys') private passkeys!: OwnPasskeys | null;

  async open(): Promise<void> {
    await this.updateComplete;
    this.failure = '';
    if (!this.dialog.open) this.dialog.showModal();
    await Promise.all([this.#load().then(() => this.#loadPasskeys()), this.#loadAccounts()]);
  }

  override render() {
    const { logins = [], admitsEverybody } = this.own ?? {};
    const others = logins.filter(({ isCurrent }) => !isCurrent);
    const mayHavePasskeys = this.own !== undefined && !admitsEverybody;
    return html`<dialog aria-labelledby="heading">
      <parley-handle></parley-handle>
      <h2 id="heading" tabindex="-1">Devices</h2>
      ${this.own && logins.length === 0 ? html`<p>No browser is logged in: ${admitsEverybody ? 'this server asks nobody for a token' : 'you came in without a log-in of Parley’s own'}.</p>` : nothing}
      <ul>
        ${logins.map((device) => this.#renderDevice(device))}
      </ul>
      ${mayHavePasskeys ? html`<parley-own-passkeys .logInAgain=${this.logInAgain}></parley-own-passkeys>` : nothing}
      <parley-chat-accounts></parley-chat-accounts>
      ${this.failure ? html`<p class="failure" role="alert">${this.failure}</p>` : nothing}
      <form method="dialog" class="actions">
        ${
          others.length > 0
            ? html`<button class="danger" type="button" @click=${() => this.#end({ others: true })}>Log out all others</button>`
            : nothing
        }
        <button>Close</button>
      </form>
    </dialog>`;
  }

  #renderDevice({ id, userAgent, address, createdAt, isCurrent }: Device) {
    const name = userAgent === undefined ? 'Unknown browser' : describeDevice(userAgent);
    const since = createdAt === undefined ? '' : ` · since ${formatTime(createdAt)}`;
    return html`<li>
      <div>
        <p>${name}${isCurrent ? html` <span class="here">this device</span>` : nothing}</p>
        <p>${renderUntrusted(address ?? 'unknown address')}${since}</p>
      </div>
      ${
        isCurrent
          ? nothing
          : html`<button class="danger" aria-label="Log out ${name}" @click=${() => this.#end({ id })}>Log out</button>`
      }
    </li>`;
  }

  /** Logs devices out, then moves the focus to the next one in the list. */
  async #end(which: Parameters<typeof endLogins>[0]): Promise<void> {
    this.failure = '';
    const at = 'id' in which ? (this.own?.logins.findIndex(({ id }) => id === which.id) ?? -1) : -1;
    await endLogins(which, this.logInAgain).catch((error: Error) => {
      this.failure = error.message;
    });
    await this.#load();
    await this.updateComplete;
    const items = [...this.renderRoot.querySelectorAll('li')];
    const next = (items[at] ?? items.at(-1))?.querySelector('button');
    (next ?? this.renderRoot.querySelector('h2'))?.focus();
  }

  /** Shows the linked chat accounts, whose code few people need. */
  async #loadAccounts(): Promise<void> {
    if (await isLoaded(import('./chat-accounts.ts'))) await this.accounts.load();
  }

  /** Shows the passkeys, if people log in at this server. */
  async #loadPasskeys(): Promise<void> {
    if (!(await isLoaded(import('./own-passkeys.ts')))) return;
    await this.updateComplete;
    await this.passkeys?.load();
  }

  async #load(): Promise<void> {
    await listLogins().then(
      (own) => {
        this.own = own;
      },
      (error: Error) => {
        this.failure = error.message;
      },
    );
  }
}
