import { hasEarlier, type SentAnswer, type SessionState, type Stream } from '@parleyhq/client';
import { hiddenWords, type Items, isWaiting, listItems } from '@parleyhq/core';
import { html, LitElement, nothing, type PropertyValues } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { repeat } from 'lit/directives/repeat.js';
import type { Viewer } from '../prompt/interaction-card.ts';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import { icons } from '../ui/icons.ts';
import { renderItem, renderThinking } from './row-view.ts';
import { findRows, type Row } from './rows.ts';
import './tool-block.ts';
import { renderUntrusted } from '../ui/untrusted-text.ts';
import { transcriptStyles } from './transcript-styles.ts';

/** Within this distance of the end, in pixels, a reader counts as being there. */
const nearEnd = 48;

/**
 * The conversation. It follows the end unless the reader has scrolled up.
 * @fires parley-earlier - the reader wants older pages
 */
@customElement('parley-transcript')
export class Transcript extends LitElement {
  static override styles = [base, controls, transcriptStyles];

  @property({ attribute: false }) session!: SessionState;
  @property({ attribute: false }) answers: ReadonlyMap<string, SentAnswer> = new Map();
  @property({ attribute: false }) viewer!: Viewer;

  @state() private isAtEnd = true;
  @query('.scroll') private scroller!: HTMLElement;
  #rows: readonly Row[] = [];
  #rowsOf: Items | undefined;
  #heightBefore: number | undefined;
  readonly #resizes = new ResizeObserver(() => this.#follow());

  protected override firstUpdated(): void {
    const column = this.renderRoot.querySelector('.column');
    if (column) this.#resizes.observe(column);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#resizes.disconnect();
  }

  /** Scrolls to the end, as after sending a message. */
  goToEnd(): void {
    this.isAtEnd = true;
    this.#follow();
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (this.#rowsOf !== this.session.items) {
      this.#rows = findRows(listItems(this.session.items)).rows;
      this.#rowsOf = this.session.items;
    }
    const before = changed.get('session');
    if (before && before.firstSeq > this.session.firstSeq && before.epoch === this.session.epoch) {
      this.#heightBefore = this.scroller.scrollHeight - this.scroller.scrollTop;
    }
  }

  protected override updated(): void {
    if (this.#heightBefore !== undefined) this.scroller.scrollTop = this.scroller.scrollHeight - this.#heightBefore;
    this.#heightBefore = undefined;
    this.#follow();
  }

  override render() {
    const { phase, head } = this.session;
    const isEmpty = this.#rows.length === 0 && this.session.streams.length === 0;
    return html`<div class="scroll" tabindex="0" role="log" aria-label="Conversation" @scroll=${this.#onScroll}>
        <div class="column">
          ${hasEarlier(this.session) ? html`<button class="plain earlier" @click=${this.#askEarlier}>Load earlier</button>` : nothing}
          ${isEmpty && phase === 'live' && !head.turn ? renderEmpty() : nothing}
          ${isEmpty && phase === 'loading' ? html`<p class="empty">Loading …</p>` : nothing}
          ${repeat(
            this.#rows,
            ({ key }) => key,
            (row) => html`<div class="row">${this.#renderRow(row)}</div>`,
          )}
          <section class="streams" aria-live="off">
            ${repeat(
              this.session.streams,
              ({ responseId, block, kind, toolCallId }) => `${responseId}.${block}.${kind}.${toolCallId}`,
              (stream) => renderStream(stream),
            )}
          </section>
          ${head.turn && !isWaiting(head) ? renderTyping() : nothing}
        </div>
      </div>
      ${this.isAtEnd ? nothing : html`<button class="latest" @click=${this.goToEnd}>${icons.down}Latest</button>`}`;
  }

  #renderRow(row: Row) {
    switch (row.kind) {
      case 'item':
        return renderItem(row.item, this.viewer);
      case 'tool':
        if (row.item.isHidden) return html`<p class="note">${hiddenWords.call}</p>`;
        return html`<parley-tool
          .item=${row.item}
          .chains=${row.chains}
          .viewer=${this.viewer}
          .answers=${this.answers}
          .output=${this.#findOutput(row.item.key)}
        ></parley-tool>`;
      case 'prompt':
        return html`<parley-interaction
          id=${row.chain.current.interactionId}
          .chain=${row.chain}
          .viewer=${this.viewer}
          .sent=${this.answers.get(row.chain.current.interactionId)}
        ></parley-interaction>`;
      default:
        return row satisfies never;
    }
  }

  #findOutput(key: string): Stream | undefined {
    return this.session.streams.find(({ kind, toolCallId }) => kind === 'tool_output' && `tool:${toolCallId}` === key);
  }

  #askEarlier(): void {
    this.dispatchEvent(new CustomEvent('parley-earlier', { bubbles: true, composed: true }));
  }

  #onScroll(): void {
    this.isAtEnd = this.scroller.scrollTop > this.#findEnd() - nearEnd;
  }

  #follow(): void {
    if (!this.isAtEnd || !this.scroller) return;
    this.scroller.scrollTop = Math.max(this.scroller.scrollTop, this.#findEnd());
  }

  /** The scroll position of the end; for a last prompt that is taller than the view, that of its beginning. */
  #findEnd(): number {
    const { scrollHeight, clientHeight } = this.scroller;
    const last = this.renderRoot.querySelector<HTMLElement>('.row:last-of-type');
    const isHigh = this.session.head.prompts.length > 0 && last !== null && last.offsetHeight > clientHeight;
    return isHigh ? last.offsetTop : scrollHeight - clientHeight;
  }
}

function renderStream({ kind, text }: Stream) {
  switch (kind) {
    case 'text':
      return html`<parley-markdown .text=${text}></parley-markdown>`;
    case 'thinking':
      return renderThinking(text, true);
    case 'tool_input':
      return html`<p class="note">Preparing a tool call … ${renderUntrusted(text.slice(-80))}</p>`;
    case 'tool_output':
      return nothing; // shown in its tool's block
    default:
      return kind satisfies never;
  }
}

const renderTyping = () =>
  html`<div class="typing" role="img" aria-label="The agent is working"><i></i><i></i><i></i></div>`;

const renderEmpty = () =>
  html`<div class="empty">
    <h2>No messages yet</h2>
    <p>Write one below. When the agent needs a decision, it stops and asks here and in every other tab.</p>
  </div>`;
