import { css, html, LitElement, nothing } from 'lit';
import { customElement, state } from 'lit/decorators.js';
import {
  type ChatLink,
  endLink,
  type LinkableChat,
  type LinkCode,
  listLinks,
  makeLinkCode,
} from '../browser/chat-links.ts';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import { formatTime } from '../ui/time.ts';
import { renderUntrusted } from '../ui/untrusted-text.ts';

/** Lists the chat accounts that act for the person, links others and ends them (CHAT2). Empty if no chat is configured. */
@customElement('parley-chat-accounts')
export class ChatAccounts extends LitElement {
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
        align-items: center;
        gap: var(--s3);
        padding-block: var(--s2);
      }
      li p {
        flex: 1;
        min-width: 0;
        overflow-wrap: anywhere;
      }
      code {
        font: 500 1.125rem var(--mono);
        color: var(--ink);
        user-select: all;
      }
    `,
  ];

  @state() private links: readonly ChatLink[] = [];
  @state() private chats: readonly LinkableChat[] = [];
  @state() private made: LinkCode | undefined;
  @state() private failure = '';

  /** Reads what the server knows. */
  async load(): Promise<void> {
    this.made = undefined;
    await this.#do(async () => undefined);
  }

  override render() {
    const { links, chats, made } = this;
    if (chats.length + links.length === 0 && this.failure === '') return nothing;
    return html`<section aria-labelledby="chats">
      <h3 id="chats" tabindex="-1">Chat accounts</h3>
      ${links.length === 0 ? html`<p>No account is linked. A linked account shows what waits for you, and can answer for you.</p>` : nothing}
      <ul>
        ${links.map((link) => this.#renderLink(link))}
      </ul>
      <div role="status">${made ? this.#renderCode(made) : nothing}</div>
      ${this.failure ? html`<p class="failure" role="alert">${this.failure}</p>` : nothing}
      ${chats.length > 0 ? html`<p><button @click=${this.#make}>${made ? 'Make another code' : 'Link an account'}</button></p>` : nothing}
    </section>`;
  }

  #renderLink({ id, notifier, account, createdAt }: ChatLink) {
    const { title } = this.chats.find(({ name }) => name === notifier) ?? { title: notifier };
    const name = account.name ?? account.id;
    return html`<li>
      <p>${renderUntrusted(title)}: ${renderUntrusted(name)} · since ${formatTime(createdAt)}</p>
      <button class="danger" aria-label="End link of ${name}" @click=${() => this.#end(id)}>End link</button>
    </li>`;
  }

  #renderCode({ code, expiresAt }: LinkCode) {
    return html`<p>Code: <code>${code}</code></p>
      <p>It works once, until ${formatTime(expiresAt)}.</p>
      ${this.chats.map(({ title, howToLink }) =>
        howToLink === undefined
          ? nothing
          : html`<p>${renderUntrusted(title)}: ${renderUntrusted(howToLink.replace('{code}', code))}</p>`,
      )}`;
  }

  /** Ends a link, then moves the focus off the button that is no longer there. */
  async #end(id: string): Promise<void> {
    await this.#do(() => endLink(id));
    await this.updateComplete;
    this.renderRoot.querySelector('h3')?.focus();
  }

  #make = (): Promise<void> =>
    this.#do(async () => {
      this.made = await makeLinkCode();
    });

  /** Does something, then shows what the server knows afterwards. */
  async #do(work: () => Promise<void>): Promise<void> {
    this.failure = '';
    try {
      await work();
      const { links, chats } = await listLinks();
      this.links = links;
      this.chats = chats;
    } catch (error) {
      this.failure = (error as Error).message;
    }
  }
}
