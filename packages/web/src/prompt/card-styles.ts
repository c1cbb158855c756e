import { css } from 'lit';

export const cardStyles = css`
  /*
   * The frame: a band at the top, which says who asks for what, and one at the bottom with the buttons. Both belong to the
   * page and span the card; what a tool wrote is between them, indented and no larger, so that it cannot imitate them (SEC5).
   */
  .card {
    --pad: 1.15rem;
    display: flex; /* in a grid the foot could only stick within its row */
    flex-direction: column;
    gap: 0.8rem;
    background: var(--surface);
    border: 1px solid var(--line);
    border-left: 3px solid var(--amber);
    border-radius: var(--r-card);
    padding-inline: var(--pad);
    box-shadow: var(--shadow);
    overflow: clip;
    overflow-wrap: anywhere;
  }
  .card.watched {
    padding-bottom: 1rem; /* no foot */
  }
  header {
    display: flex;
    align-items: center;
    gap: 0.5rem;
    flex-wrap: wrap;
    min-height: 2.75rem;
    margin-inline: calc(-1 * var(--pad));
    padding: 0.2rem 0.5rem 0.2rem var(--pad);
    background: var(--sunken);
    border-bottom: 1px solid var(--line);
  }
  .expired header,
  .off header {
    background: var(--sunken);
  }
  .asked {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 0.5rem;
    max-height: min(40vh, 24rem);
    overflow: auto;
  }
  .end {
    display: block;
    height: 0.25rem;
    margin-top: -0.25rem;
  }
  .card.expired,
  .card.off {
    border-left-color: var(--line-strong);
  }
  .card:has(h2:focus) {
    outline: 2px solid var(--accent);
    outline-offset: 2px;
  }
  h2:focus {
    outline: none;
  }
  .eyebrow {
    flex: 1 1 9rem;
    min-width: 0;
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.25rem 0.5rem;
    font-size: 0.8125rem;
    color: var(--ink-2);
  }
  .eyebrow .kind {
    white-space: nowrap;
    display: inline-flex;
    align-items: center;
    gap: 0.4rem;
    font-size: 1rem;
    font-weight: 600;
    color: var(--amber);
  }
  .off .eyebrow .kind,
  .expired .eyebrow .kind {
    color: var(--ink-2);
  }
  .kind svg {
    font-size: 1.15em;
  }
  .eyebrow code {
    font: 500 0.8125rem/1 var(--mono);
  }
  .eyebrow > span,
  .eyebrow .untrusted {
    max-width: 100%;
  }
  .eyebrow .untrusted {
    display: inline-block;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
    line-height: 1.4;
    vertical-align: bottom;
  }
  h2 {
    font-size: 1rem;
    font-weight: 600;
    line-height: 1.4;
    white-space: pre-wrap;
  }
  .prompt {
    white-space: pre-wrap;
    color: var(--ink-2);
  }
  .inside .prompt {
    max-height: min(40vh, 24rem);
    overflow: auto;
  }
  .risk {
    font-size: 0.8125rem;
    font-weight: 600;
    white-space: nowrap;
    padding: 0.1rem 0.6rem;
    border-radius: 99px;
    border: 1px solid currentColor;
    color: var(--ink-2);
  }
  .risk.medium {
    color: var(--amber);
  }
  .risk.high {
    background: var(--danger-soft);
    color: var(--danger);
  }
  .note {
    font-size: 0.875rem;
    color: var(--ink-2);
    background: var(--sunken);
    border-radius: var(--r-control);
    padding: 0.5rem 0.75rem;
  }
  .failure {
    font-size: 0.875rem;
    max-height: 6rem;
    overflow: auto;
    background: var(--danger-soft);
    border-radius: var(--r-control);
    padding: 0.5rem 0.75rem;
  }
  .failure strong {
    color: var(--danger);
  }
  .steps {
    display: grid;
    gap: 0.15rem;
    font-size: 0.8125rem;
    color: var(--ink-2);
  }
  .steps li::before {
    content: "↻ ";
  }
  .url {
    font: 400 0.875rem/1.5 var(--mono);
    background: var(--sunken);
    border: 1px solid var(--line);
    border-radius: var(--r-control);
    padding: 0.7rem 0.85rem;
    color: var(--ink-2);
    overflow-wrap: anywhere;
  }
  .url b {
    color: var(--ink);
    background: var(--accent-soft);
    border-radius: 3px;
    padding-inline: 0.1em;
  }
  .receipt {
    font-size: 0.875rem;
    color: var(--ink-2);
    background: var(--surface);
    border: 1px solid var(--line);
    border-radius: var(--r-control);
    padding: 0.45rem 0.7rem;
    overflow: clip;
  }
  .receipt > summary,
  .line {
    display: flex;
    gap: 0.5rem;
    align-items: baseline;
  }
  .receipt > summary {
    cursor: pointer;
    list-style: none;
    border-radius: 4px;
  }
  .receipt > summary::-webkit-details-marker {
    display: none;
  }
  .receipt > summary::after {
    content: "▸" / "";
  }
  .receipt[open] > summary::after {
    rotate: 90deg;
  }
  .card:has([editing]) parley-subject {
    display: none;
  }
  .receipt > summary:hover {
    color: var(--ink);
  }
  .mark {
    flex: none;
    align-self: center;
    display: grid;
    place-items: center;
    width: 1.25rem;
    height: 1.25rem;
    border-radius: 99px;
    font-size: 0.75rem;
    background: var(--ok-soft);
    color: var(--ok);
  }
  .mark.none {
    background: var(--sunken);
    color: var(--ink-3);
  }
  .words {
    min-width: 0;
    overflow-wrap: anywhere;
  }
  .words strong {
    font-weight: 600;
    color: var(--ink);
  }
  .words .subtle {
    color: var(--ink-3);
  }
  .inside {
    display: grid;
    gap: 0.6rem;
    margin: 0.5rem 0 0.4rem 1.75rem;
    padding-left: 0.85rem;
    border-left: 2px solid var(--line);
  }
  .inside > button {
    justify-self: start;
  }
  dl {
    display: grid;
    grid-template-columns: minmax(6rem, max-content) 1fr;
    gap: 0.15rem 1rem;
  }
  dt {
    color: var(--ink-3);
  }
  dd {
    color: var(--ink);
    white-space: pre-wrap;
  }
  .choices {
    display: grid;
    gap: 0.1rem;
    margin: 0;
    padding: 0;
    list-style: none;
  }
  .choices li {
    position: relative;
    display: grid;
    grid-template-columns: 0.875rem 1fr;
    gap: 0.4rem;
    align-items: baseline;
    color: var(--ink-3);
  }
  .choices li > span:last-child {
    grid-column: 2;
  }
  .choices .chosen {
    color: var(--ink);
    font-weight: 500;
  }
  @media (max-width: 30rem) {
    .card {
      --pad: 0.9rem;
    }
    dl {
      grid-template-columns: 1fr;
    }
    dd {
      margin-bottom: 0.3rem;
    }
  }
`;
