import type { InteractionRequest } from '@parley/core';
import { css, html, LitElement, nothing, type PropertyValues } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { Settling } from '../prompt/settling.ts';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';

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
  readonly #settling = new Settling(this);

  protected override willUpdate(_changed: PropertyValues): void {
    this.#settling.watch(this.requests.map(({ interactionId }) => interactionId).join());
  }

  override render() {
    if (this.requests.length < 2) return nothing;
    return html`<div role="group" aria-label="All open approvals">
      <span>${this.requests.length} approvals are open</span>
      <button class="danger" @click=${() => this.#fire('deny')}>Deny all</button>
      <button class="settling" ?disabled=${this.#settling.isNew} @click=${this.#allowAll}>Allow all once</button>
    </div>`;
  }

  #allowAll(event: UIEvent): void {
    if (this.#settling.isMeant(event)) this.#fire('approve');
  }

  #fire(detail: 'approve' | 'deny'): void {
    this.dispatchEvent(new CustomEvent('parley-all', { detail, bubbles: true, composed: true }));
  }
}
