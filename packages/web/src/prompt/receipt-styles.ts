import { css } from 'lit';

/** A settled prompt: one line of 36 px, whose details open below it. */
export const receiptStyles = css`
  .receipt {
    font: 400 var(--text-secondary) var(--sans);
    color: var(--ink-2);
    background: var(--surface);
    border: 1px solid var(--line);
    border-radius: var(--r-control);
    overflow: clip;
  }
  .receipt > summary {
    display: flex;
    align-items: center;
    gap: var(--s2);
    min-height: 2.125rem; /* plus the borders */
    padding-inline: var(--s3);
    white-space: nowrap;
    cursor: pointer;
    list-style: none;
    border-radius: var(--r-control);
    outline-offset: -2px;
  }
  .receipt > summary::-webkit-details-marker {
    display: none;
  }
  .receipt > summary:hover {
    background: var(--hover);
  }
  .chevron {
    flex: none;
    color: var(--ink-3);
    transition: rotate 160ms ease-out;
  }
  .receipt[open] .chevron {
    rotate: 180deg;
  }
  .mark {
    flex: none;
    color: var(--ok);
    font-size: 0.9375rem;
  }
  .mark.none {
    color: var(--ink-3);
  }
  .words {
    flex: 1;
    display: flex;
    gap: var(--s2);
    align-items: baseline;
    min-width: 0;
  }
  .answer,
  .question,
  .who {
    min-width: 0;
    overflow: hidden;
    text-overflow: ellipsis;
  }
  .receipt summary .untrusted {
    display: inline-block;
    max-width: 100%;
    overflow: hidden;
    text-overflow: ellipsis;
    vertical-align: bottom;
  }
  .answer {
    flex: none;
    max-width: 70%;
  }
  .answer strong,
  .lost strong {
    font-weight: 500;
    color: var(--ink);
  }
  .question {
    flex: 1 1 0;
    color: var(--ink-3);
  }
  .who {
    flex: 0 1 auto;
    max-width: 60%; /* fits the longest answer that is shown in full */
  }
  .who,
  .late,
  .receipt time {
    font: 400 var(--text-meta) var(--sans);
    color: var(--ink-3);
  }
  .late {
    flex: none;
    margin-inline-start: calc(-1 * var(--s1)); /* makes the gap as wide as a space */
  }
  .receipt time {
    flex: none;
    font-variant-numeric: tabular-nums;
  }
  /* The line has the answer, the question and the person; when opened, also the votes, the device, and the whole text. */
  .receipt:not([open]) :is(.person + .where, .device, .votes) {
    display: none;
  }
  .receipt[open] > summary {
    align-items: flex-start;
    white-space: normal;
    padding-block: var(--s2);
  }
  .receipt[open] .words {
    flex-wrap: wrap;
  }
  .receipt[open] > summary > :is(.mark, .chevron, time) {
    display: grid;
    align-items: center;
    height: 1.125rem; /* of the first line */
  }
  .receipt[open] :is(.answer, .question, .who, summary .untrusted) {
    max-width: 100%;
    overflow-wrap: anywhere;
  }
  .receipt[open] .question {
    flex-basis: 8rem;
  }
  .lost {
    display: flex;
    align-items: flex-start;
    gap: var(--s2);
    margin-top: var(--s1);
    padding-inline: var(--s3);
    font: 400 var(--text-secondary) var(--sans);
    color: var(--ink-2);
    overflow-wrap: anywhere;
  }
  .lost > span {
    min-width: 0;
    padding-block: 0.3rem; /* its first line is level with the button */
  }
  .lost .copy {
    flex: none;
  }
  .inside {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: var(--s3);
    padding: var(--s1) var(--s3) var(--s3);
  }
  .inside > button {
    justify-self: start;
  }
  .inside .prompt {
    max-height: min(40vh, 24rem);
    overflow: auto;
    font: 400 0.8125rem/1.5 var(--mono);
    background: var(--sunken);
    border-radius: var(--r-control);
    padding: var(--s2) var(--s3);
  }
  dl {
    display: grid;
    grid-template-columns: minmax(6rem, max-content) minmax(0, 1fr);
    gap: var(--s1) var(--s4);
  }
  dt {
    max-width: 16rem;
    color: var(--ink-3);
  }
  dd {
    color: var(--ink);
    white-space: pre-wrap;
  }
  .choices {
    display: grid;
    gap: var(--s1);
  }
  .choices li {
    position: relative;
    display: grid;
    grid-template-columns: 0.875rem minmax(0, 1fr);
    gap: var(--s2);
    align-items: baseline;
    color: var(--ink-3);
  }
  .choices svg {
    color: var(--ok);
    align-self: center;
  }
  .choices li > span:last-child {
    grid-column: 2;
  }
  .choices .chosen {
    color: var(--ink);
    font-weight: 500;
  }
  @media (pointer: coarse) {
    .receipt > summary {
      min-height: 2.75rem;
    }
  }
  @media (max-width: 30rem) {
    /* The question moves to a second line where the first would cut it after a word. */
    .receipt > summary {
      padding-block: var(--s1);
    }
    .receipt:not([open]) .words {
      flex-wrap: wrap;
      row-gap: 0;
    }
    .receipt:not([open]) .question {
      flex-basis: 9rem;
    }
    /* The name of the person stays whole next to a long answer. */
    .receipt:not([open]) .answer {
      flex: 0 1 auto;
      max-width: none;
    }
    .receipt:not([open]) .who:has(.person) {
      flex: none;
    }
    dl {
      grid-template-columns: minmax(0, 1fr);
      gap: 0;
    }
    dd {
      margin-bottom: var(--s2);
    }
  }
`;
