import { type Answer, type InteractionRequest, type Items, RefusalError } from '@parleyhq/core';
import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, query } from 'lit/decorators.js';
import { headingOf } from '../prompt/words.ts';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import { icons } from '../ui/icons.ts';
import { renderUntrusted } from '../ui/untrusted-text.ts';
import './review-dialog.ts';
import type { ReviewDialog } from './review-dialog.ts';

/** The prompts of a joint answer, each with the error if the answer did not settle it. */
export type BatchResults = readonly { readonly request: InteractionRequest; readonly error: Error | undefined }[];

/**
 * Opens the review, in which several approvals are answered together, each with an answer of its own (APR5), and reports which of
 * them were not settled.
 * @fires parley-read - the report was closed
 */
@customElement('parley-batch')
export class BatchBar extends LitElement {
  static override styles = [
    base,
    controls,
    css`
      :host {
        display: grid;
        gap: 0.4rem;
      }
      .group {
        display: flex;
        align-items: center;
        justify-content: space-between;
        gap: 0.4rem;
      }
      .group,
      .report {
        padding: var(--s1) var(--s1) var(--s1) var(--s3);
        border: 1px solid var(--line);
        border-radius: var(--r-card);
        background: var(--surface);
        font: 400 var(--text-secondary) var(--sans);
      }
      .group span {
        font-weight: 500;
      }
      .group button {
        border-radius: calc(var(--r-card) - var(--s1) - 1px);
      }
      .report {
        display: flex;
        align-items: start;
        gap: 0.5rem;
        background: var(--sunken);
        overflow-wrap: anywhere;
      }
      .report div {
        flex: 1;
        min-width: 0;
        padding-block: 0.35rem;
      }
      li {
        color: var(--ink-2);
      }
    `,
  ];

  @property({ attribute: false }) requests: readonly InteractionRequest[] = [];
  /** What is loaded of their session, by which they are put in order; undefined if they are of several. */
  @property({ attribute: false }) items: Items | undefined;
  @property({ attribute: false }) results: BatchResults = [];
  @property() action: Answer['action'] = 'approve';
  /** Whether the card of a prompt shows all of it. */
  @property({ attribute: false }) isReadable: (request: InteractionRequest) => boolean = () => true;
  /** Returns the title of a prompt's session; empty if all are of one. */
  @property({ attribute: false }) placeOf: (request: InteractionRequest) => string = () => '';
  @query('parley-review') private review!: ReviewDialog;

  override render() {
    return html`${this.#renderReport()} ${this.requests.length < 2 ? nothing : this.#renderBar()}
      <parley-review .requests=${this.requests.filter(this.isReadable)} .items=${this.items} .placeOf=${this.placeOf}></parley-review>`;
  }

  #renderBar() {
    return html`<div class="group" role="group" aria-label="All open approvals">
      <span>${this.requests.length} approvals are open</span>
      <button aria-haspopup="dialog" @click=${this.#open}>Review together</button>
    </div>`;
  }

  #renderReport() {
    const failed = this.results.filter(({ error }) => error);
    if (failed.length === 0) return nothing;
    const done = this.results.length - failed.length;
    const word = this.action === 'approve' ? 'allowed' : 'denied';
    return html`<div class="report" role="status">
      <div>
        <p>${done} of ${this.results.length} ${word}. Not the others:</p>
        <ul>
          ${failed.map(({ request, error }) => html`<li>${renderUntrusted(headingOf(request))} — ${describe(error)}</li>`)}
        </ul>
      </div>
      <button class="icon" aria-label="Close this report" @click=${() => this.#fire('parley-read')}>${icons.cross}</button>
    </div>`;
  }

  #open(): void {
    this.requestUpdate(); // a card may have failed meanwhile
    void this.updateComplete.then(() => this.review.open());
  }

  #fire(type: string): void {
    this.dispatchEvent(new CustomEvent(type, { bubbles: true, composed: true }));
  }
}

function describe(error: Error | undefined) {
  const { code, details } = error instanceof RefusalError ? error : { code: undefined, details: undefined };
  const { reason } = (details ?? {}) as { reason?: string };
  if (code === 'already_answered') return 'somebody else answered first';
  if (code === 'closed') return reason === 'timeout' ? 'its time ran out' : 'it has been closed';
  if (code === 'stale') return 'it has changed';
  return renderUntrusted(error?.message ?? '');
}
