import type { Presence } from '@parleyhq/client';
import type { Session } from '@parleyhq/core';
import { html, LitElement, nothing } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { isComposing } from '../browser/focus.ts';
import { hasModes, nameMode } from '../browser/modes.ts';
import type { ConfirmDialog } from '../dialogs/confirm-dialog.ts';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import { menuStyles } from '../styles/menu.ts';
import { icons } from '../ui/icons.ts';
import { renderMenu } from '../ui/menu.ts';
import { renderUntrusted } from '../ui/untrusted-text.ts';
import type { ExportFormat } from './save-session.ts';
import { topBarStyles } from './top-bar-styles.ts';

/** How many other people are named; the rest are shown as a number. */
const mostNames = 2;

const exportFormats: Readonly<Record<ExportFormat, string>> = { markdown: 'Markdown', html: 'HTML', jsonl: 'JSONL' };

/**
 * The session's title and settings, who else is present, and how many prompts this person may answer.
 * @fires parley-go - go to the list of sessions
 * @fires parley-next - go to the next open prompt
 * @fires parley-search - search the session
 * @fires parley-rename - set a new title
 * @fires parley-pin - pin or unpin the session
 * @fires parley-archive - archive the session or bring it back
 * @fires parley-export - save the session, in a format
 * @fires parley-delete - delete the session
 * @fires parley-permissions - show what runs without asking
 * @fires parley-interactive - whether prompts can be answered in this tab from now on
 */
@customElement('parley-top-bar')
export class TopBar extends LitElement {
  static override styles = [base, controls, menuStyles, topBarStyles];

  @property({ attribute: false }) session: Session | undefined;
  @property({ attribute: false }) presence: Presence | undefined;
  /** Principal that is logged in on this page. */
  @property() self = '';
  @property({ type: Number }) openCount = 0;
  @property({ type: Boolean }) isInteractive = true;
  @property({ type: Boolean }) mayDelete = false;
  @property({ type: Boolean }) mayRename = false;

  @state() private isRenaming = false;
  @query('h1 input') private input!: HTMLInputElement | null;

  /** Turns the title into a text field. */
  rename(): void {
    void this.#startRenaming();
  }

  /** Asks for confirmation before the session is deleted. */
  askToDelete(): void {
    this.renderRoot.querySelector<ConfirmDialog>('parley-confirm')?.open();
  }

  /** Focuses the back link, where people go on who came from a list that is a page of its own. */
  focusBack(): void {
    this.renderRoot.querySelector<HTMLElement>('.back')?.focus();
  }

  override render() {
    const { openCount } = this;
    return html`<header>
        <a class="back" href="/" aria-label=${openCount > 0 ? `Sessions, ${openCount} waiting` : 'Sessions'} @click=${this.#goBack}>
          ${icons.back}${openCount > 0 ? html`<b>${openCount}</b>` : nothing}
        </a>
        ${this.session ? this.#renderTitle(this.session) : nothing} ${this.#renderPermissions('mode')}
        <span class="grow"></span>
        ${
          openCount > 0
            ? html`<button class="next" title="Go to the next open prompt (n)" aria-keyshortcuts="n" @click=${() => this.#fire('parley-next')}>
                <span>${openCount} waiting</span><kbd aria-hidden="true">n</kbd>
              </button>`
            : nothing
        }
        ${this.#renderPresence()} ${renderMenu({ id: 'more', label: 'More', face: icons.more }, this.#renderItems())}
      </header>
      <parley-confirm
        heading="Delete this session?"
        text="Its conversation and open prompts will be deleted for everybody."
        yes="Delete"
        @parley-confirm=${() => this.#fire('parley-delete')}
      ></parley-confirm>`;
  }

  #renderTitle({ title }: Session) {
    const name = renderUntrusted(title);
    if (!this.mayRename) return html`<h1><span class="name">${name}</span></h1>`;
    if (!this.isRenaming)
      return html`<h1><button class="name" title="Rename" @click=${this.#startRenaming}>${name}</button></h1>`;
    return html`<h1>
      <input
        aria-label="Title of the session"
        pattern=".{0,200}"
        title="At most 200 characters"
        dir="auto"
        autocomplete="off"
        enterkeyhint="done"
        .value=${title}
        @keydown=${this.#press}
        @blur=${this.#rename}
      />
    </h1>`;
  }

  #renderItems() {
    return html`<button
        class="switch"
        role="switch"
        aria-checked=${this.isInteractive ? 'true' : 'false'}
        title="Prompts fail if no tab can answer them."
        @click=${() => this.#fire('parley-interactive', !this.isInteractive)}
      >
        <i></i>Answer in this tab
      </button>
      ${this.#renderPermissions('narrow')} ${this.session ? this.#renderActions() : nothing}`;
  }

  #renderActions() {
    const { mayRename, mayDelete } = this;
    const { pinned = false, archived = false } = this.session ?? {};
    return html`<hr />
      <button @click=${() => this.#fire('parley-search')}>${icons.search}Search</button>
      ${
        mayRename
          ? html`<button @click=${this.#startRenaming}>${icons.pencil}Rename</button>
              <button @click=${() => this.#fire('parley-pin', !pinned)}>${icons.pin}${pinned ? 'Unpin' : 'Pin'}</button>
              <button @click=${() => this.#fire('parley-archive', !archived)}>${icons.box}${archived ? 'Bring back' : 'Archive'}</button>`
          : nothing
      }
      ${Object.entries(exportFormats).map(
        ([format, name]) =>
          html`<button @click=${() => this.#fire('parley-export', format)}>${icons.save}Save as ${name}</button>`,
      )}
      ${
        mayDelete
          ? html`<hr />
              <button class="danger" @click=${this.askToDelete}>
                ${icons.bin}Delete
              </button>`
          : nothing
      }`;
  }

  /**
   * Renders the permission mode, if the session has one. The bar always marks a session that never asks, however narrow it is.
   */
  #renderPermissions(place: 'mode' | 'narrow') {
    const { permissionMode } = this.session && hasModes(this.session) ? this.session : {};
    const name = permissionMode === undefined ? 'Permissions' : nameMode(permissionMode);
    return html`<button
      class="${place} ${permissionMode ?? ''}"
      aria-label=${permissionMode === undefined ? name : `Permissions: ${name}`}
      aria-haspopup="dialog"
      title="What runs without asking"
      @click=${() => this.#fire('parley-permissions')}
    >
      ${icons.shield}${place === 'narrow' && permissionMode !== undefined ? `Permissions: ${name}` : name}
    </button>`;
  }

  #renderPresence() {
    const { connections = 0, enabled = 0 } = this.presence ?? {};
    if (connections < 2) return nothing;
    const others = (this.presence?.people ?? []).filter(({ principal }) => principal !== this.self);
    const names = others.slice(0, mostNames).map(({ name }, n) => html`${n > 0 ? ', ' : ''}${renderUntrusted(name)}`);
    const more = others.length > mostNames ? ` +${others.length - mostNames}` : '';
    const words = others.length > 0 ? html`${names}${more}` : `${connections} here`;
    return html`<span class="presence" title="${connections} here, ${enabled} can answer">
      ${icons.people}<span class="names"><span class="visually-hidden">${others.length > 0 ? 'Also here: ' : ''}</span>${words}</span>
    </span>`;
  }

  async #startRenaming(): Promise<void> {
    this.isRenaming = true;
    await this.updateComplete;
    this.input?.focus();
    this.input?.select();
  }

  /** Enter renames, Escape cancels; both return the focus to the title. */
  async #press(event: KeyboardEvent): Promise<void> {
    if (isComposing(event) || (event.key !== 'Enter' && event.key !== 'Escape')) return;
    event.preventDefault(); // Enter would also press the button that gets the focus
    if (event.key === 'Escape' && this.input) this.input.value = '';
    this.#rename();
    if (this.isRenaming) return void this.input?.reportValidity();
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLElement>('h1 button')?.focus();
  }

  #rename(): void {
    const title = this.input?.value.trim() ?? '';
    if (this.input?.validity.patternMismatch) return; // what was typed stays in the field
    const isNew = this.isRenaming && title !== '' && title !== this.session?.title;
    this.isRenaming = false;
    if (isNew) this.#fire('parley-rename', title);
  }

  #goBack(event: MouseEvent): void {
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return; // opens a new tab, as with any link
    event.preventDefault();
    this.#fire('parley-go', {});
  }

  #fire(type: string, detail?: unknown): void {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
  }
}
