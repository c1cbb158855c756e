import type { Answer, InteractionRequest, Items } from '@parleyhq/core';
import { css, html, LitElement, nothing, type PropertyValues } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { repeat } from 'lit/directives/repeat.js';
import { findReasonFault } from '../prompt/reason.ts';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import { wideDialog } from '../styles/dialog.ts';
import { MisclickGuard } from '../ui/misclick-guard.ts';
import '../ui/sheet-handle.ts';
import { orderReview } from './review-order.ts';
import './review-row.ts';
import type { ReviewRow } from './review-row.ts';

/** One answer for several approvals. */
export type JointAnswer = CustomEvent<{ readonly requests: readonly InteractionRequest[]; readonly answer: Answer }>;

/**
 * A list of approvals that are answered together. Each shows what it asks about and can be allowed only after that was in view
 * (WEB7). Approvals of high risk start unticked.
 * @fires parley-all - the answer for the ticked approvals
 */
@customElement('parley-review')
export class ReviewDialog extends LitElement {
  static override styles = [
    base,
    controls,
    wideDialog,
    css`
      dialog[open] {
        display: flex;
        flex-direction: column;
      }
      .inert:disabled {
        opacity: 1;
      }
      header,
      footer {
        padding: var(--s3) var(--s5);
      }
      header {
        display: flex;
        align-items: center;
        justify-content: space-between;
        gap: 1rem;
      }
      h2 {
        font: var(--text-h2) var(--sans);
      }
      h2:focus {
        outline: none;
      }
      .list {
        overflow-y: auto;
        padding-inline: var(--s5);
      }
      footer {
        display: grid;
        gap: var(--s3);
        border-top: 1px solid var(--line);
      }
      .actions {
        display: flex;
        flex-wrap: wrap;
        justify-content: flex-end;
        align-items: center;
        gap: 0.5rem;
      }
      .fault {
        margin: 0;
        color: var(--danger);
      }
      .fault:empty {
        display: none;
      }
      .hint {
        flex: 1 1 12rem;
        font: 400 var(--text-secondary) var(--sans);
        color: var(--ink-2);
      }
      label {
        display: grid;
        gap: var(--s1);
        font: 500 var(--text-secondary) var(--sans);
      }
      @media (max-width: 30rem) {
        header,
        footer,
        .list {
          padding-inline: var(--s4);
        }
        footer {
          padding-bottom: max(var(--s3), env(safe-area-inset-bottom));
        }
        .hint {
          flex-basis: 100%;
        }
        .actions > :nth-child(2) {
          margin-inline-end: auto;
        }
      }
      @media (max-height: 30rem) {
        dialog[open] {
          display: block;
        }
      }
    `,
  ];

  @property({ attribute: false }) requests: readonly InteractionRequest[] = [];
  /** What is loaded of their session: then they show how they differ from the last of their kind. */
  @property({ attribute: false }) items: Items | undefined;
  /** Returns the title of a prompt's session; empty if all are of one. */
  @property({ attribute: false }) placeOf: (request: InteractionRequest) => string = () => '';
  /** Boxes that were ticked or unticked by hand, by prompt id. */
  @state() private byHand: ReadonlyMap<string, boolean> = new Map();
  @state() private isOpen = false;
  /** Error message for the reason. */
  @state() private fault = '';
  @query('dialog') private dialog!: HTMLDialogElement;
  readonly #guard = new MisclickGuard(this, () => this.dialog ?? this);
  #order: ReadonlyMap<string, number> = new Map();

  async open(): Promise<void> {
    this.byHand = new Map();
    this.#order = new Map(orderReview(this.requests, this.items).map(({ interactionId }, n) => [interactionId, n]));
    this.isOpen = true;
    await this.updateComplete;
    this.dialog.showModal();
    this.renderRoot.querySelector<HTMLElement>('h2')?.focus(); // people read the list before they get to its Close button
  }

  protected override willUpdate(changed: PropertyValues): void {
    if (changed.has('requests')) this.#keepUnticked();
    this.#guard.watch(`${this.isOpen} ${this.#chosen.map(({ interactionId }) => interactionId).join()}`);
    if (this.requests.length === 0 && this.isOpen) this.dialog.close();
  }

  override render() {
    if (!this.isOpen) return html`<dialog></dialog>`;
    const count = this.#chosen.length;
    const isUnread = this.#unread > 0;
    return html`<dialog
      aria-labelledby="heading"
      @close=${this.#close}
      @parley-sight=${() => this.requestUpdate()}
    >
      <parley-handle></parley-handle>
      <header>
        <h2 id="heading" tabindex="-1">${this.requests.length} approvals</h2>
        <button class="plain" @click=${() => this.dialog.close()}>Close</button>
      </header>
      <div class="list" @parley-choose=${this.#choose}>
        ${repeat(
          this.#ordered,
          ({ interactionId }) => interactionId,
          (request) =>
            html`<parley-review-row .request=${request} .items=${this.items} place=${this.placeOf(request)} ?isChosen=${this.#isChosen(request)}></parley-review-row>`,
        )}
      </div>
      <footer>
        <label>Reason for all of them (${whoReads(this.#chosen)}) <input id="reason" dir="auto" autocomplete="off" aria-describedby="fault" aria-invalid=${this.fault ? 'true' : nothing} @input=${this.#clear} /></label>
        <p class="fault" id="fault" role="alert">${this.fault}</p>
        <div class="actions">
          <span class="hint" role="status">${isUnread ? `Read to the end to allow: ${this.#unread} not seen yet.` : nothing}</span>
          <button ?disabled=${count === 0} @click=${() => this.#answer({ action: 'deny' })}>Deny ${count}</button>
          <button
            class="primary ${isUnread ? '' : 'inert'}"
            ?disabled=${count === 0 || isUnread || this.#guard.isNew}
            @click=${this.#allow}
          >
            Allow ${count} once
          </button>
        </div>
      </footer>
    </dialog>`;
  }

  /** In the order in which they were first listed, so that none moves while people read; those that came since are last. */
  get #ordered(): readonly InteractionRequest[] {
    const at = ({ interactionId }: InteractionRequest) => this.#order.get(interactionId) ?? this.#order.size;
    return this.requests.toSorted((a, b) => at(a) - at(b));
  }

  get #chosen(): readonly InteractionRequest[] {
    return this.requests.filter((request) => this.#isChosen(request));
  }

  /** Number of ticked approvals that have not been scrolled to their end yet. */
  get #unread(): number {
    const rows = [...this.renderRoot.querySelectorAll<ReviewRow>('parley-review-row')];
    const read = new Set(rows.filter(({ isRead }) => isRead).map(({ request }) => request.interactionId));
    return this.#chosen.filter(({ interactionId }) => !read.has(interactionId)).length;
  }

  #isChosen({ interactionId, risk }: InteractionRequest): boolean {
    return this.byHand.get(interactionId) ?? risk !== 'high';
  }

  /** A prompt that replaces an unticked one stays unticked. A tick is not carried over, because it was for another question. */
  #keepUnticked(): void {
    const again = this.requests.filter(
      ({ interactionId, replaces = '' }) => !this.byHand.has(interactionId) && this.byHand.get(replaces) === false,
    );
    for (const { interactionId } of again) this.byHand = new Map(this.byHand).set(interactionId, false);
  }

  #choose(event: CustomEvent<boolean>): void {
    const { interactionId } = (event.target as ReviewRow).request;
    this.byHand = new Map(this.byHand).set(interactionId, event.detail);
  }

  #allow(event: UIEvent): void {
    if (this.#guard.isMeant(event) && this.#unread === 0) this.#answer({ action: 'approve', approvalScope: 'once' });
  }

  #answer(answer: Answer): void {
    const field = this.renderRoot.querySelector<HTMLInputElement>('#reason');
    const reason = field?.value.trim();
    this.fault = findReasonFault({}, { ...answer, reason });
    if (this.fault) return void field?.focus();
    const detail: JointAnswer['detail'] = { requests: this.#chosen, answer: reason ? { ...answer, reason } : answer };
    this.dialog.close();
    this.dispatchEvent(new CustomEvent('parley-all', { detail, bubbles: true, composed: true }));
  }

  #clear(): void {
    this.fault = '';
  }

  #close(): void {
    this.isOpen = false;
    this.fault = '';
  }
}

/** Says who reads a reason: some who ask get words only with a denial (REV2). */
function whoReads(requests: readonly InteractionRequest[]): string {
  const denialOnly = requests.filter(({ wordsOnlyWithDenial }) => wordsOnlyWithDenial);
  if (denialOnly.length === 0) return 'the agent reads it';
  if (denialOnly.length === requests.length) return 'the agent reads it only if you deny';
  return 'some agents read it only if you deny';
}
