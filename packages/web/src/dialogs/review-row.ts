import type { InteractionRequest, Items } from '@parleyhq/core';
import { css, html, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { findEnds, renderAsked } from '../prompt/asked.ts';
import { cardStyles } from '../prompt/card-styles.ts';
import { describeDifference } from '../prompt/difference-words.ts';
import { renderEyebrow } from '../prompt/origin.ts';
import { SeenToEnd } from '../prompt/seen-to-end.ts';
import { headingOf, riskLabels } from '../prompt/words.ts';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import { GuardedElement } from '../ui/guarded-element.ts';
import { renderUntrusted } from '../ui/untrusted-text.ts';

/**
 * One approval of a review, with everything it asks about.
 * @fires parley-choose - whether it is answered together with the others
 */
@customElement('parley-review-row')
export class ReviewRow extends GuardedElement {
  static override styles = [
    base,
    controls,
    cardStyles,
    css`
      :host {
        border-top: 1px solid var(--line);
        padding-block: 0.9rem;
      }
      article {
        display: grid;
        grid-template-columns: auto minmax(0, 1fr);
        gap: 0.5rem 0.75rem;
      }
      /* The box's clickable area covers the left edge of the row. */
      label {
        margin: -0.5rem 0 0 -0.5rem;
        padding: 0.5rem;
        min-width: var(--control);
      }
      @media (pointer: coarse) {
        article {
          column-gap: 0;
        }
      }
      h2 {
        font: var(--text-h3) var(--sans);
      }
      .body {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        gap: 0.5rem;
      }
      .difference {
        font: 400 var(--text-secondary) var(--sans);
        color: var(--ink-2);
        overflow-wrap: anywhere;
      }
      .meta {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 0.25rem 0.5rem;
        font-size: 0.8125rem;
        color: var(--ink-2);
      }
    `,
  ];

  @property({ attribute: false }) request!: InteractionRequest;
  @property({ attribute: false }) items: Items | undefined;
  @property({ type: Boolean }) isChosen = false;
  /** Title of its session, if the review is of several. */
  @property() place = '';
  readonly #sight = new SeenToEnd(this, () => findEnds(this.renderRoot));

  /** Whether all of it has been in view. */
  get isRead(): boolean {
    return this.#sight.isComplete;
  }

  protected override willUpdate(): void {
    this.#sight.watch(this.request.interactionId);
  }

  override render() {
    const { risk, interactionId, toolCallId } = this.request;
    const item = this.items?.get(`interaction:${interactionId}`);
    const difference = this.items && item?.kind === 'interaction' ? describeDifference(this.items, item) : undefined;
    return html`<article aria-labelledby="heading">
      <label>
        <input
          type="checkbox"
          aria-label="Answer this one: ${headingOf(this.request)}${this.place && `, ${this.place}`}"
          .checked=${this.isChosen}
          @change=${this.#choose}
        />
      </label>
      <div class="body">
        <p class="meta">
          ${renderEyebrow(this.request, this.items?.get(`tool:${toolCallId}`))}
          ${this.place ? html`<span>${renderUntrusted(this.place)}</span>` : nothing}
          ${risk ? html`<span class="risk ${risk}">${riskLabels[risk]}</span>` : nothing}
        </p>
        ${renderAsked(this.request)} ${difference ? html`<p class="difference">${difference}</p>` : nothing}
      </div>
    </article>`;
  }

  #choose(event: Event): void {
    const detail = (event.target as HTMLInputElement).checked;
    this.dispatchEvent(new CustomEvent('parley-choose', { detail, bubbles: true, composed: true }));
  }
}
