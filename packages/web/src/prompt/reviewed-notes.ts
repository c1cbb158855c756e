import { describePass, describeReviewed, type Reviewed, type ReviewerOffScope } from '@parleyhq/core';
import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import { renderUntrusted } from '../ui/untrusted-text.ts';
import type { Viewer } from './viewer.ts';

/** What a reviewer found about a call, in the styles of the card around it. */
@customElement('parley-reviewed')
export class ReviewedNote extends LitElement {
  @property({ attribute: false }) reviewed!: Reviewed;

  protected override createRenderRoot(): this {
    return this;
  }

  override render() {
    return html`<p class="note">${renderUntrusted(describeReviewed(this.reviewed))}</p>`;
  }
}

/** Which reviewer passed a call, and the button after which people are asked instead (LESS3). */
@customElement('parley-passed')
export class PassedNote extends LitElement {
  static override styles = [
    base,
    controls,
    css`
      :host {
        display: flex;
        flex-wrap: wrap;
        align-items: baseline;
        gap: var(--s1) var(--s2);
        font: var(--text-secondary) var(--sans);
        color: var(--ink-3);
        margin-inline-start: calc(1rem + var(--s2));
      }
      p {
        margin: 0;
        min-width: 0;
        overflow-wrap: anywhere;
      }
    `,
  ];

  @property({ attribute: false }) pass: { readonly name?: string; readonly reason?: string } = {};
  @property() toolName = '';
  @property({ attribute: false }) viewer!: Viewer;
  @state() private isOff = false;
  @state() private isSending = false;
  @state() private failure = '';

  override render() {
    return html`<p>${renderUntrusted(describePass(this.pass))}</p>
      ${this.viewer.removeReviewer && !this.isOff ? this.#renderButton() : nothing}
      <p role="status">${this.isOff ? html`People are asked from the next call on. ${this.#renderLink()}` : nothing}</p>
      ${this.failure ? html`<p role="alert" class="failure">${renderUntrusted(this.failure)}</p>` : nothing}`;
  }

  #renderButton() {
    const where = this.#scope === 'always' ? 'in every session' : 'in this session';
    return html`<button class="plain" ?disabled=${this.isSending} @click=${this.#remove}>
      <span>Ask people about ${renderUntrusted(this.toolName)} from here on, ${where}</span>
    </button>`;
  }

  #renderLink() {
    return html`<button class="plain" @click=${this.#showPermissions}>Show what holds</button>`;
  }

  /** Only an operator who sees all sessions changes what holds in all of them. */
  get #scope(): ReviewerOffScope {
    const { role, sessions } = this.viewer.principal;
    return role === 'operator' && sessions === undefined ? 'always' : 'session';
  }

  async #remove(): Promise<void> {
    this.isSending = true;
    this.failure = '';
    try {
      await this.viewer.removeReviewer?.(this.toolName, this.#scope);
      this.isOff = true;
    } catch (error) {
      this.failure = (error as Error).message;
    } finally {
      this.isSending = false;
    }
  }

  #showPermissions(): void {
    this.dispatchEvent(new CustomEvent('parley-permissions', { bubbles: true, composed: true }));
  }
}
