import { hasEarlier, type SentAnswer, type SessionState } from '@parleyhq/client';
import { type Items, isWaiting, type Seq } from '@parleyhq/core';
import { html, LitElement, nothing, type PropertyValues } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { repeat } from 'lit/directives/repeat.js';
import { findEmbedding, homeOf, keysOf } from '../browser/embedding.ts';
import { isFocusLost, isInDialog, isShortcut } from '../browser/focus.ts';
import type { Viewer } from '../prompt/viewer.ts';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import { disclosure } from '../styles/disclosure.ts';
import { copyStyles } from '../ui/copy.ts';
import { icons } from '../ui/icons.ts';
import { findLinked } from './message-link.ts';
import { renderRow } from './row.ts';
import { type Anchor, findAnchor, findEnd, isFree, isWhole } from './row-positions.ts';
import type { RowSearch } from './row-search.ts';
import {
  cutAbove,
  cutBelow,
  hasAbove,
  mostRows,
  type RowSpan,
  rowsWithin,
  spanAround,
  spanLatest,
  widenAbove,
  widenBelow,
} from './row-span.ts';
import { hasChain, type Row, rowsOf } from './rows.ts';
import type { SearchBar, SearchStep } from './search-bar.ts';
import { renderEmpty, renderStream, renderTyping } from './stream-view.ts';
import { TappedRow } from './tapped-row.ts';
import { transcriptStyles } from './transcript-styles.ts';

/** How far from the end, in pixels, a reader still counts as being there. */
const nearEnd = 48;

/** How many rows the first frame renders, and how many are rendered from the second on, before the reader scrolls. */
const [firstRows, initialRows] = [15, 100];

/**
 * Rows get their height only when they come into view, which moves the rows below them; scrolling to a row is repeated this
 * often.
 */
const settlingFrames = 6;

/** How many events a search reads at once. */
const searchPage = 1000;

/**
 * The conversation. It follows the end unless the reader has scrolled up; older rows are rendered when the reader comes near
 * them.
 * @fires parley-earlier - load older events: this many, or one page if undefined
 */
@customElement('parley-transcript')
export class Transcript extends LitElement {
  static override styles = [base, controls, copyStyles, disclosure, transcriptStyles];

  @property({ attribute: false }) session!: SessionState;
  @property({ attribute: false }) answers: ReadonlyMap<string, SentAnswer> = new Map();
  @property({ attribute: false }) viewer!: Viewer;

  @state() private isAtEnd = true;
  /** Set during a search. */
  @state() private search: RowSearch | undefined;
  @state() private span: RowSpan = spanLatest([], 0);
  /** Whether the newest rows are still being rendered. Everything that can wait is rendered later. */
  @state() private isFilling = true;
  @query('.scroll') private scroller!: HTMLElement | null;
  #rows: readonly Row[] = [];
  #rowsOf: Items | undefined;
  /** The last row that was there when the session was shown: screen readers announce only later rows. */
  #announcedTo: Seq = 0;
  /** The row at the top of the view, which keeps its position when rows are added above it. */
  #anchor: Anchor | undefined;
  /** Scroll position of the end when it was last followed, in px; content added since then is not followed yet. */
  #followedTo = 0;
  /** Seq of the event whose row is to be brought into view; it may have to wait for older pages. */
  #wanted: Seq | undefined;
  /** The row that a search or link led to. */
  @state() private found: Seq | undefined;
  #stop: AbortController | undefined;
  /** Runs after layout and before painting; reading positions earlier would force another layout. */
  readonly #resizes = new ResizeObserver(() => this.#settle());

  constructor() {
    super();
    new TappedRow(this);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#stop = new AbortController();
    const { signal } = this.#stop;
    keysOf(this).addEventListener('keydown', (event) => this.#press(event as KeyboardEvent), { signal });
    addEventListener('hashchange', () => this.#followLink(), { signal });
    this.#followLink();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#stop?.abort();
    this.#resizes.disconnect();
  }

  protected override firstUpdated(): void {
    for (const part of this.renderRoot.querySelectorAll('.scroll, .column')) this.#resizes.observe(part);
  }

  /** Scrolls to the end, as after sending a message. */
  goToEnd(): void {
    this.isAtEnd = true;
    if (this.span.to !== Number.POSITIVE_INFINITY) this.#jumpTo(spanLatest(this.#rows, firstRows));
    this.#follow();
  }

  override focus(): void {
    if (this.scroller) this.scroller.focus({ preventScroll: true });
    else void this.updateComplete.then(() => this.scroller && isFocusLost() && this.focus());
  }

  /** Scrolls to the end from the button, which then disappears: the focus moves into the conversation. */
  #goToLatest(): void {
    this.focus();
    this.goToEnd();
  }

  /** Renders the row of a loaded prompt; a docked prompt has no row. */
  async revealPrompt(root: string): Promise<void> {
    const row = this.#rows.find((candidate) => hasChain(candidate, root));
    if (row?.kind === 'tool') await customElements.whenDefined('parley-tool');
    if (row) await this.#reveal(row.seq);
  }

  async openSearch(): Promise<void> {
    const { RowSearch } = await import('./search.ts');
    this.search ??= new RowSearch();
    await this.updateComplete;
    this.renderRoot.querySelector<SearchBar>('parley-search-bar')?.focus();
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    const before = changed.get('session');
    const isOther = (changed.get('viewer') ?? this.viewer).sessionId !== this.viewer.sessionId;
    if (isOther) this.#begin();
    const last = this.#rows.at(-1)?.seq ?? 0;
    const isOlder =
      before !== undefined && before.epoch === this.session.epoch && before.firstSeq > this.session.firstSeq;
    if (this.#rowsOf !== this.session.items) {
      const isFirst = this.#rows.length === 0 || isOther;
      this.#rows = rowsOf(this.session.items).rows;
      if (isOther || (isFirst && before?.phase !== 'live')) this.#announcedTo = this.#rows.at(-1)?.seq ?? 0;
      this.#rowsOf = this.session.items;
      if (isFirst) this.span = spanLatest(this.#rows, firstRows);
      this.search?.update(this.#rows);
    }
    if (isOlder && !this.search && this.#wanted === undefined) this.#widenAbove();
    if ((changed as PropertyValues).has('span')) this.#announcedTo = Math.max(this.#announcedTo, last); // old rows
  }

  protected override updated(changed: PropertyValues<this>): void {
    this.#goToWanted();
    if (changed.has('session')) this.#searchOn();
    requestAnimationFrame(() => this.#fill());
  }

  override render() {
    const { phase, head } = this.session;
    const isEmpty = this.#rows.length === 0 && this.session.streams.length === 0;
    const isEnd = this.span.to === Number.POSITIVE_INFINITY;
    const context = { viewer: this.viewer, answers: this.answers, streams: this.session.streams, home: homeOf(this) };
    return html`${this.search ? this.#renderSearch(this.search) : nothing}
      <div class="scroll" tabindex="0" role="log" aria-label="Conversation" @scroll=${this.#onScroll}>
        <div class="column">
          ${hasEarlier(this.session) || hasAbove(this.#rows, this.span) ? html`<button class="plain earlier" aria-live="off" @click=${() => this.#loadAbove()}>Load earlier</button>` : nothing}
          ${isEmpty && phase === 'live' && !head.turn ? renderEmpty() : nothing}
          ${isEmpty && phase === 'loading' ? html`<p class="empty" role="status">Loading …</p>` : nothing}
          ${repeat(
            rowsWithin(this.#rows, this.span),
            ({ key }) => key,
            (row) =>
              renderRow(row, context, {
                isFound: row.seq === this.found,
                isOld: row.seq <= this.#announcedTo,
                hasActions: !this.isFilling,
              }),
          )}
          <section class="streams" aria-live="off">
            ${repeat(
              isEnd ? this.session.streams : [],
              ({ responseId, block, kind, toolCallId }) => `${responseId}.${block}.${kind}.${toolCallId}`,
              (stream) => renderStream(stream),
            )}
          </section>
          ${isEnd && head.turn && !isWaiting(head) ? renderTyping() : nothing}
        </div>
      </div>
      ${this.isAtEnd ? nothing : html`<button class="latest" @click=${this.#goToLatest}>${icons.down}Latest</button>`}`;
  }

  #renderSearch({ query, count, number }: RowSearch) {
    return html`<parley-search-bar
      text=${query}
      count=${count}
      number=${number}
      ?isReading=${hasEarlier(this.session) && query.trim() !== ''}
      @parley-look=${this.#look}
      @parley-step=${this.#step}
      @parley-close=${this.#closeSearch}
    ></parley-search-bar>`;
  }

  /** Renders more rows if the reader is close to an end. */
  #fill(): void {
    const { scrollTop = 0, scrollHeight = 0, clientHeight = 0 } = this.scroller ?? {};
    if (clientHeight === 0) return;
    const drawn = rowsWithin(this.#rows, this.span).length;
    const hasMore = drawn < initialRows && hasAbove(this.#rows, this.span);
    this.isFilling &&= this.session.phase === 'loading' || (this.isAtEnd && hasMore);
    if (this.isAtEnd && drawn < initialRows) this.#loadAbove(initialRows - drawn);
    else if (scrollTop < clientHeight) this.#loadAbove();
    else if (this.isAtEnd && drawn > mostRows) this.#setSpan(this.span, cutAbove(this.#rows, this.span));
    else if (this.span.to !== Number.POSITIVE_INFINITY && scrollTop + 2 * clientHeight > scrollHeight) {
      this.#hold();
      const span = widenBelow(this.#rows, this.span);
      this.#setSpan(span, cutAbove(this.#rows, span));
    }
  }

  #loadAbove(count?: number): void {
    if (hasAbove(this.#rows, this.span)) this.#widenAbove(count);
    else this.#askEarlier();
  }

  #widenAbove(count?: number): void {
    this.#hold();
    const span = widenAbove(this.#rows, this.span, count);
    this.#setSpan(span, cutBelow(this.#rows, span));
  }

  /** Renders this span, or the shorter one if the rows that it leaves out can be removed. */
  #setSpan(span: RowSpan, cut: RowSpan): void {
    this.span = isFree(this.renderRoot, this.scroller, cut) ? cut : span;
  }

  /** Renders another range. If the focused row is removed, the focus moves into the conversation (WEB5). */
  #jumpTo(span: RowSpan): void {
    const row = this.renderRoot.querySelector<HTMLElement>('.row:focus-within');
    const seq = Number(row?.dataset.seq);
    if (row && (seq < span.from || seq >= span.to)) this.scroller?.focus({ preventScroll: true });
    this.span = span;
  }

  /** Keeps the scroll position of the reader after content grew or shrank. */
  #settle(): void {
    if (this.#anchor && this.scroller && this.#anchor.row.isConnected)
      this.scroller.scrollTop += this.#anchor.row.getBoundingClientRect().top - this.#anchor.top;
    this.#anchor = undefined;
    this.#follow();
  }

  /** Starts with another session. */
  #begin(): void {
    this.isAtEnd = true;
    this.isFilling = true;
    this.#rows = [];
    this.search = undefined;
    this.found = undefined;
    this.#wanted = this.#findLinked();
  }

  /** Notes the position of the first row in view. */
  #hold(): void {
    this.#anchor = findAnchor(this.renderRoot, this.scroller) ?? this.#anchor;
  }

  #askEarlier(limit?: number): void {
    if (!hasEarlier(this.session) || this.session.phase !== 'live') return;
    this.dispatchEvent(new CustomEvent('parley-earlier', { detail: limit, bubbles: true, composed: true }));
  }

  #onScroll(): void {
    if (!this.scroller) return;
    const end = this.isAtEnd ? Math.min(this.#followedTo, this.#findEnd()) : this.#findEnd();
    this.isAtEnd = this.span.to === Number.POSITIVE_INFINITY && this.scroller.scrollTop > end - nearEnd;
    this.#fill();
  }

  #follow(): void {
    if (this.span.to === Number.POSITIVE_INFINITY && isWhole(this.scroller)) this.isAtEnd = true;
    if (!this.isAtEnd || !this.scroller) return;
    this.scroller.scrollTop = Math.max(this.scroller.scrollTop, this.#findEnd());
    this.#followedTo = this.scroller.scrollTop;
  }

  #findEnd(): number {
    return findEnd(this.renderRoot, this.scroller, this.session.head.prompts.length > 0);
  }

  /** Goes to the message that the address names. */
  #followLink(): void {
    this.#wanted = this.#findLinked();
    this.requestUpdate();
  }

  /** Returns the seq that the address names; undefined on another site's page, whose address is not ours. */
  #findLinked(): Seq | undefined {
    return findEmbedding(this) ? undefined : findLinked(location.hash);
  }

  /** Goes to the wanted row once it is loaded; until then older pages are requested. */
  #goToWanted(): void {
    const wanted = this.#wanted;
    if (wanted === undefined || this.session.phase !== 'live') return;
    if (wanted < this.session.firstSeq) this.#askEarlier(searchPage);
    else {
      this.#wanted = undefined;
      const row = this.#rows.findLast(({ seq }) => seq <= wanted);
      if (row) void this.#show(row);
    }
  }

  async #reveal(seq: Seq): Promise<void> {
    const isDrawn = rowsWithin(this.#rows, this.span).some((row) => row.seq === seq);
    if (!isDrawn) {
      this.#jumpTo(spanAround(this.#rows, seq));
      this.isAtEnd = false;
    }
    await this.updateComplete;
  }

  /** Brings a row into the middle of the view and marks it. */
  async #show(row: Row): Promise<void> {
    this.isAtEnd = false;
    this.found = row.seq;
    await this.#reveal(row.seq);
    for (let frame = 0; frame < settlingFrames && this.found === row.seq; frame += 1) {
      this.renderRoot.querySelector(`[data-seq="${row.seq}"]`)?.scrollIntoView({ block: 'center' });
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  }

  /** Starts a search on `/`, unless it is typed as text (WEB5). */
  #press(event: KeyboardEvent): void {
    if (event.key !== '/' || !isShortcut(event) || isInDialog(event)) return;
    event.preventDefault();
    void this.openSearch();
  }

  #look({ detail }: CustomEvent<string>): void {
    this.search?.look(detail, this.#rows);
    this.#showHit();
    if (detail.trim() !== '') this.#askEarlier(searchPage);
  }

  #step({ detail }: SearchStep): void {
    this.search?.move(detail);
    this.#showHit();
  }

  /** Requests older pages while a search runs, and shows the first hit. */
  #searchOn(): void {
    const { query = '', current } = this.search ?? {};
    if (query.trim() === '') return;
    this.#askEarlier(searchPage);
    if (current && this.found === undefined) this.#showHit();
  }

  #showHit(): void {
    const current = this.search?.current;
    this.found = undefined;
    this.requestUpdate();
    void (current ? this.#show(current) : this.updateComplete).then(() => this.#mark());
  }

  #mark(): void {
    const row = this.renderRoot.querySelector('.row.found') ?? undefined;
    void import('./search.ts').then(({ markWords }) => markWords(row, this.search?.query ?? ''));
  }

  #closeSearch(): void {
    this.search = undefined;
    this.found = undefined;
    this.#mark();
    this.scroller?.focus({ preventScroll: true });
  }
}
