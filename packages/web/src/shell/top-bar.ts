import type { Presence } from '@parleyhq/client';
import type { Session } from '@parleyhq/core';
import { css, html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { hasModes, nameMode } from '../page/modes.ts';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import { icons } from '../ui/icons.ts';
import { renderUntrusted } from '../ui/untrusted-text.ts';
import type { ConfirmDialog } from './confirm-dialog.ts';

/**
 * The session's title and settings, who else is there, and how many prompts need this person.
 * @fires parley-menu - open the list of sessions
 * @fires parley-next - go to the next open prompt
 * @fires parley-rename - a new title
 * @fires parley-delete - delete the session
 * @fires parley-permissions - show what runs without asking
 * @fires parley-interactive - whether prompts can be answered in this tab from now on
 */
@customElement('parley-top-bar')
export class TopBar extends LitElement {
  static override styles = [
    base,
    controls,
    css`
      header {
        display: flex;
        align-items: center;
        gap: 0.35rem;
        padding: 0.5rem 0.85rem;
        border-bottom: 1px solid var(--line);
        min-height: 3.4rem;
      }
      h1 {
        font-size: 0.9375rem;
        font-weight: 600;
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
        min-width: 2rem;
        padding-left: 0.35rem;
      }
      .grow {
        flex: 1;
      }
      .presence {
        display: inline-flex;
        align-items: center;
        gap: 0.3rem;
        font-size: 0.8125rem;
        color: var(--ink-2);
        padding-inline: 0.5rem;
        white-space: nowrap;
      }
      .pill {
        border-radius: 99px;
        border-color: transparent;
        background: var(--sunken);
        color: var(--amber);
        min-height: 2rem;
        padding-block: 0.3rem;
        white-space: nowrap;
        font-variant-numeric: tabular-nums;
      }
      .pill:hover {
        background: var(--sunken);
        border-color: var(--amber);
      }
      .mode {
        background: none;
        border-color: transparent;
        color: var(--ink-2);
        padding-inline: 0.5rem;
        white-space: nowrap;
      }
      .mode svg {
        font-size: 1.125rem;
      }
      .mode.bypassPermissions {
        background: var(--danger-soft);
        border-color: var(--danger);
        color: var(--danger);
        border-radius: 99px;
        min-height: 2rem;
        padding-block: 0.3rem;
      }
      .switch {
        background: none;
        border-color: transparent;
        color: var(--ink-2);
        padding-inline: 0.5rem;
        white-space: nowrap;
      }
      .switch i {
        width: 1.9rem;
        height: 1.1rem;
        border-radius: 99px;
        background: var(--line-strong);
        padding: 2px;
        transition: background 120ms;
      }
      .switch i::before {
        content: "";
        display: block;
        width: calc(1.1rem - 4px);
        height: calc(1.1rem - 4px);
        border-radius: 99px;
        background: var(--surface);
        transition: translate 120ms;
      }
      .switch[aria-checked="true"] i {
        background: var(--accent);
      }
      .switch[aria-checked="true"] i::before {
        translate: 0.8rem 0;
      }
      @media (forced-colors: active) {
        .switch i {
          forced-color-adjust: none;
          background: Canvas;
          border: 1px solid CanvasText;
        }
        .switch i::before {
          background: CanvasText;
        }
        .switch[aria-checked="true"] i {
          background: Highlight;
        }
        .switch[aria-checked="true"] i::before {
          background: HighlightText;
        }
      }
      button {
        flex: none;
      }
      .menu,
      .dots {
        display: none;
      }
      .more {
        display: contents;
      }
      .more .icon .word {
        display: none;
      }
      @media (max-width: 52rem) {
        .menu {
          display: inline-flex;
        }
        .wide {
          display: none;
        }
      }
      @media (max-width: 30rem) {
        header {
          padding-inline: 0.35rem;
          gap: 0;
        }
        h1 {
          flex: 1;
        }
        .grow,
        .mode .word,
        kbd {
          display: none;
        }
        .dots {
          display: inline-flex;
        }
        .more {
          display: none;
        }
        .more:popover-open {
          display: grid;
          position: fixed;
          inset: 3.25rem 0.5rem auto auto;
          min-width: 13rem;
          margin: 0;
          padding: 0.35rem;
          border: 1px solid var(--line);
          border-radius: var(--r-card);
          background: var(--surface);
          color: var(--ink);
          box-shadow: var(--shadow);
        }
        .more button {
          width: 100%;
          justify-content: flex-start;
          gap: 0.6rem;
          padding-inline: 0.75rem;
          font-size: 0.9375rem;
          color: var(--ink);
        }
        .more .icon .word {
          display: inline;
        }
        .more .switch {
          flex-direction: row-reverse;
          justify-content: space-between;
        }
      }
    `,
  ];

  @property({ attribute: false }) session: Session | undefined;
  @property({ attribute: false }) presence: Presence | undefined;
  @property({ type: Number }) openCount = 0;
  @property({ type: Boolean }) isInteractive = true;
  @property({ type: Boolean }) mayDelete = false;
  @property({ type: Boolean }) mayRename = false;

  /** Where the focus goes when the menu closes. */
  focusMenu(): void {
    this.renderRoot.querySelector<HTMLElement>('.menu')?.focus();
  }

  override render() {
    const { session, openCount } = this;
    return html`<header>
        <button class="icon menu" aria-label="Sessions" @click=${() => this.#fire('parley-menu')}>${icons.menu}</button>
        <h1>${session ? renderUntrusted(session.title) : 'Parley'}</h1>
        ${this.#renderPermissions()}
        <span class="grow"></span>
        ${
          openCount > 0
            ? html`<button class="pill" title="Go to the next open prompt (n)" @click=${() => this.#fire('parley-next')}>
                <span>${openCount} need${openCount === 1 ? 's' : ''} you</span><kbd>n</kbd>
              </button>`
            : nothing
        }
        ${this.#renderPresence()}
        <button class="icon dots" aria-label="More" aria-haspopup="true" popovertarget="more">${icons.more}</button>
        <div class="more" id="more" popover @click=${this.#closeMore}>
          <button
            class="switch"
            role="switch"
            aria-checked=${this.isInteractive ? 'true' : 'false'}
            aria-label="Interactive mode"
            title="Whether you can answer prompts in this tab. Prompts fail if no tab can answer them."
            @click=${() => this.#fire('parley-interactive', !this.isInteractive)}
          >
            <i></i><span class="word">Interactive</span>
          </button>
          ${session ? this.#renderActions() : nothing}
        </div>
      </header>
      <parley-confirm
        id="rename"
        heading="Rename the session"
        yes="Rename"
        .value=${session?.title ?? ''}
        @parley-confirm=${(event: CustomEvent<string>) => this.#fire('parley-rename', event.detail)}
      ></parley-confirm>
      <parley-confirm
        id="delete"
        heading="Delete this session?"
        text="Its conversation and open prompts will be deleted for everybody."
        yes="Delete"
        isDanger
        @parley-confirm=${() => this.#fire('parley-delete')}
      ></parley-confirm>`;
  }

  #renderActions() {
    return html`${
      this.mayRename
        ? html`<button class="icon" aria-label="Rename" title="Rename" @click=${() => this.#open('rename')}>
              ${icons.pencil}<span class="word">Rename</span>
            </button>`
        : nothing
    }
      ${
        this.mayDelete
          ? html`<button class="icon" aria-label="Delete" title="Delete" @click=${() => this.#open('delete')}>
              ${icons.bin}<span class="word">Delete</span>
            </button>`
          : nothing
      }`;
  }

  /** The mode in words, where it means anything. A session that never asks stays marked, however narrow the page. */
  #renderPermissions() {
    const { permissionMode } = this.session && hasModes(this.session) ? this.session : {};
    const name = permissionMode === undefined ? 'Permissions' : nameMode(permissionMode);
    return html`<button
      class="mode ${permissionMode ?? ''}"
      aria-label=${permissionMode === undefined ? name : `Permissions: ${name}`}
      aria-haspopup="dialog"
      title="What runs without asking"
      @click=${() => this.#fire('parley-permissions')}
    >
      ${icons.shield}<span class="word">${name}</span>
    </button>`;
  }

  #renderPresence() {
    const { connections = 0, enabled = 0 } = this.presence ?? {};
    if (connections < 2) return nothing;
    return html`<span class="presence wide" title="${enabled} of them can answer">
      ${icons.people}<span>${connections} here</span>
    </span>`;
  }

  /** What was chosen in the menu takes its place; the switch stays in view. */
  #closeMore(event: Event): void {
    const menu = event.currentTarget as HTMLElement;
    if (!(event.target as Element).closest('.switch') && menu.matches(':popover-open')) menu.hidePopover();
  }

  #open(id: 'rename' | 'delete'): void {
    this.renderRoot.querySelector<ConfirmDialog>(`#${id}`)?.open();
  }

  #fire(type: string, detail?: unknown): void {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
  }
}
