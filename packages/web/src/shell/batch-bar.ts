import type { InteractionRequest } from '@parley/core';
import { css, html, LitElement, nothing, type PropertyValues } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';

/** As long as a single approval is inert after it changed (SEC5). */
const settlingMs = 500;

/**
 * Several approvals at once: each is still an answer of its own (APR5).
 * @fires parley-all - the action for all of them
 */
@customElement('parley-batch')
export class BatchBar extends LitElement {
  static override styles = [
    base,
    controls,
    css`
      div {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 0.4rem;
        padding: 0.35rem 0.35rem 0.35rem 0.85rem;
        border-radius: var(--radius-small);
        background: var(--signal-soft);
        font-size: 0.875rem;
      }
      span {
        flex: 1;
        color: var(--signal);
        font-weight: 600;
      }
    `,
  ];

  @property({ attribute: false }) requests: readonly InteractionRequest[] = [];
  @state() private isSettling = true;
  #shown = '';
  #timer: ReturnType<typeof setTimeout> | undefined;

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.#timer);
  }

  protected override willUpdate(_changed: PropertyValues): void {
    const shown = this.requests.map(({ interactionId }) => interactionId).join();
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.isSettling = true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.isSettling = false;
    }, settlingMs);
  }

  override render() {
    if (this.requests.length < 2) return nothing;
    return html`<div role="group" aria-label="All open approvals">
      <span>${this.requests.length} approvals are open</span>
      <button class="danger" @click=${() => this.#fire('deny')}>Deny all</button>
      <button class="settling" ?disabled=${this.isSettling} @click=${() => this.#fire('approve')}>Allow all once</button>
    </div>`;
  }

  #fire(detail: 'approve' | 'deny'): void {
    this.dispatchEvent(new CustomEvent('parley-all', { detail, bubbles: true, composed: true }));
  }
}
