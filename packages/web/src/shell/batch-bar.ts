import { type Answer, type InteractionRequest, RefusalError } from '@parleyhq/core';
import { css, html, LitElement, nothing, type PropertyValues } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { MisclickGuard } from '../prompt/misclick-guard.ts';
import { headingOf } from '../prompt/words.ts';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import { icons } from '../ui/icons.ts';
import { renderUntrusted } from '../ui/untrusted-text.ts';

/** For each prompt that was answered together with others, why it was not settled by that, if it was not. */
export type BatchResults = readonly { readonly request: InteractionRequest; readonly error: Error | undefined }[];

/**
 * Answers several approvals at once, each still by an answer of its own (APR5), and reports those that this did not settle.
 * @fires parley-all - the answer for all of them
 * @fires parley-read - the report was closed
 */
@customElement('parley-batch')
export class BatchBar extends LitElement {
  static override styles = [
    base,
    controls,
    css`
      :host,
      .group {
        display: grid;
        gap: 0.4rem;
      }
      .group,
      .report {
        padding: 0.35rem 0.35rem 0.35rem 0.85rem;
        border-radius: var(--radius-small);
        background: var(--signal-soft);
        font-size: 0.875rem;
      }
      .row {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 0.4rem;
      }
      .row span {
        flex: 1;
        color: var(--signal);
        font-weight: 600;
      }
      label {
        display: grid;
        gap: 0.3rem;
        padding-right: 0.5rem;
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
  @property({ attribute: false }) results: BatchResults = [];
  @property() action: Answer['action'] = 'approve';
  @state() private reason: string | undefined;
  @query('#reason') private input!: HTMLInputElement | null;
  readonly #guard = new MisclickGuard(this);

  protected override willUpdate(_changed: PropertyValues): void {
    this.#guard.watch(this.requests.map(({ interactionId }) => interactionId).join());
  }

  override render() {
    return html`${this.#renderReport()} ${this.requests.length < 2 ? nothing : this.#renderButtons()}`;
  }

  #renderButtons() {
    return html`<div class="group" role="group" aria-label="All open approvals">
      <div class="row">
        <span>${this.requests.length} approvals are open</span>
        ${
          this.reason === undefined
            ? html`<button class="plain" @click=${this.#openReason}>Add a reason</button>`
            : nothing
        }
        <button class="danger" @click=${() => this.#answer('deny')}>Deny all</button>
        <button class="inert" ?disabled=${this.#guard.isNew} @click=${this.#allowAll}>
          Allow all once
        </button>
      </div>
      ${
        this.reason === undefined
          ? nothing
          : html`<label
              >Reason for all of them (the agent reads it)
              <input
                id="reason"
                maxlength="10000"
                autocomplete="off"
                .value=${this.reason}
                @input=${(event: InputEvent) => {
                  this.reason = (event.target as HTMLInputElement).value;
                }}
            /></label>`
      }
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

  async #openReason(): Promise<void> {
    this.reason = '';
    await this.updateComplete;
    this.input?.focus();
  }

  #allowAll(event: UIEvent): void {
    if (this.#guard.isMeant(event)) this.#answer('approve');
  }

  #answer(action: 'approve' | 'deny'): void {
    const reason = this.reason?.trim();
    this.reason = undefined;
    const scope = action === 'approve' ? { approvalScope: 'once' as const } : {};
    this.#fire('parley-all', { action, ...scope, ...(reason && { reason }) } satisfies Answer);
  }

  #fire(type: string, detail?: unknown): void {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
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
