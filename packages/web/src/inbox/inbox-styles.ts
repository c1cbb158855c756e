import { css } from 'lit';

export const inboxStyles = css`
  :host {
    display: block;
    min-height: 0;
    overflow-y: auto;
    scroll-padding-block: var(--s4); /* keeps focused elements clear of the edge */
  }
  .column {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: var(--s3);
    max-width: calc(var(--column) + 2 * var(--edge));
    margin-inline: auto;
    padding: var(--s5) var(--edge) var(--s6);
  }
  /* The list, and next to it the open card: each scrolls by itself. */
  :host([wide]) {
    display: grid;
    grid-template-columns: minmax(20rem, 24rem) minmax(0, 1fr);
    overflow: hidden;
  }
  :host([wide]) .column:not(.detail),
  .detail {
    align-content: start;
    min-height: 0;
    max-width: none;
    margin-inline: 0;
    overflow-y: auto;
    scroll-padding-block: var(--s4);
  }
  :host([wide]) .column:not(.detail) {
    padding-inline: var(--s4);
    border-inline-end: 1px solid var(--line);
  }
  .detail {
    position: relative;
  }
  .detail > * {
    width: 100%;
    max-width: var(--column);
    margin-inline: auto;
  }
  .row[aria-current="true"] {
    background: var(--hover);
  }
  header {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    justify-content: space-between;
    gap: var(--s2) var(--s4);
  }
  :host([ispart]) {
    overflow: visible;
  }
  :host(:not([issteady])) :is(.current ~ li, ol ~ *) {
    visibility: hidden;
  }
  .title {
    margin: 0;
    padding: 0;
    font: var(--text-h1) var(--sans);
    color: var(--ink);
  }
  .title:focus {
    outline: none;
  }
  .title span {
    font-weight: 400;
    color: var(--ink-3);
    font-variant-numeric: tabular-nums;
  }
  h2:not(.title) {
    margin-top: var(--s4);
    padding-bottom: var(--s1);
    font: 500 var(--text-meta) var(--sans);
    color: var(--ink-3);
  }
  ol,
  ul {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 1px;
  }
  .row {
    display: grid;
    grid-template-columns: 0.5rem minmax(0, 1fr) auto;
    gap: 0 var(--s3);
    align-items: center;
    width: 100%;
    padding: 2px var(--s3);
    border-color: transparent;
    background: none;
    text-align: start;
    font-weight: 400;
  }
  .row:hover {
    background: var(--hover);
  }
  .dot {
    width: 0.375rem;
    height: 0.375rem;
    border-radius: 50%;
    background: var(--amber);
  }
  .heading {
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
    font: 500 var(--text-body) var(--sans);
  }
  .row .untrusted {
    max-width: none;
  }
  .meta,
  .age,
  .note,
  .news {
    font: 400 var(--text-meta) var(--sans);
    color: var(--ink-3);
    overflow: hidden;
    text-overflow: ellipsis;
  }
  /* A long title is cut before the risk and the deadline are. */
  .row .meta {
    display: flex;
    grid-column: 2 / -1;
    white-space: pre;
  }
  .row code {
    flex: 0 1 auto;
    min-width: 0;
    overflow: hidden;
    text-overflow: ellipsis;
    font: 400 0.75rem/1rem var(--mono);
    color: var(--ink-2);
  }
  .row .where {
    flex: 0 1 auto;
    overflow: hidden;
    text-overflow: ellipsis;
  }
  .row .rest {
    flex: none;
    max-width: 100%;
    overflow: hidden;
    text-overflow: ellipsis;
  }
  .row .team {
    grid-column: 2 / -1;
    min-width: 0;
    font: 500 var(--text-meta) var(--sans);
    color: var(--ink-2);
  }
  .said {
    display: block;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
    font-weight: 400;
  }
  .risk.high {
    color: var(--danger);
  }
  .current {
    padding-block: var(--s2) var(--s3);
  }
  .actions {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    justify-content: space-between;
    gap: 0 var(--s4);
    padding: var(--s1) var(--s1) 0;
    font: 400 var(--text-secondary) var(--sans);
    color: var(--ink-3);
  }
  .actions a {
    color: var(--ink-2);
  }
  .later {
    display: inline-flex;
    align-items: center;
  }
  .plainrow {
    display: flex;
    align-items: center;
    gap: var(--s3);
    min-height: var(--control);
  }
  .plainrow:has(a) .meta {
    margin-inline-start: auto;
  }
  .plainrow .heading {
    flex: 1;
    font: 400 var(--text-secondary) var(--sans);
  }
  .plainrow a {
    font: 400 var(--text-secondary) var(--sans);
    color: var(--ink);
  }
  .empty {
    padding-block: var(--s5);
  }
  .empty p:first-child {
    font: 500 var(--text-body) var(--sans);
  }
  .news {
    position: sticky;
    z-index: 1;
    inset-block-start: 0;
    display: flex;
    align-items: center;
    gap: var(--s3);
    min-height: var(--control);
    background: var(--canvas);
  }
  .news [role] {
    min-width: 0;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .news:not(:has([role] > *)) {
    position: absolute; /* leaves no gap while empty; screen readers still announce it */
    background: none;
  }
  @media (max-width: 48rem) {
    .column {
      padding: var(--s4);
    }
    :host([ispart]) .column {
      padding-block: var(--s1) var(--s4);
    }
  }
  @media (forced-colors: active) {
    .dot {
      forced-color-adjust: none;
      background: Highlight;
    }
  }
`;
