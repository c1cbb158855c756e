import { css } from 'lit';

export const toolStyles = css`
  :host {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: var(--s2);
  }
  .line {
    display: flex;
    align-items: center;
    gap: var(--s2);
    width: 100%;
    min-height: 1.75rem;
    padding: 0;
    border: 0;
    border-radius: var(--r-control);
    background: none;
    font: var(--text-secondary) var(--sans);
    color: var(--ink-2);
    text-align: start;
  }
  button.line {
    cursor: pointer;
  }
  button.line:hover {
    color: var(--ink);
  }
  .line > span {
    flex: none;
  }
  .mark {
    display: grid;
    place-items: center;
    width: 1rem;
    height: 1rem;
    font-size: 0.9375rem;
    color: var(--ink-3);
  }
  .mark.failed {
    color: var(--danger);
  }
  /* Quiet: the amber dot is that of its card. */
  .mark.waiting i {
    border: 3px solid var(--line-strong);
    border-radius: 50%;
  }
  .mark.running i {
    width: 0.75rem;
    height: 0.75rem;
    border: 2px solid var(--line-strong);
    border-block-start-color: var(--accent);
    border-radius: 50%;
    animation: turn 0.9s linear infinite;
  }
  @keyframes turn {
    to {
      rotate: 1turn;
    }
  }
  .verb {
    font-weight: 500;
    color: var(--ink);
  }
  .line .verb,
  .line .object {
    flex: 0 1 auto;
    min-width: 0;
  }
  .line .verb {
    flex-shrink: 0;
    max-width: 60%;
  }
  .line .untrusted {
    display: block;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .object {
    font-family: var(--mono);
  }
  .size,
  .time,
  .line .status {
    white-space: nowrap;
  }
  .line .status .untrusted {
    display: inline-block;
    max-width: 7rem;
    vertical-align: bottom;
  }
  .status.error {
    color: var(--danger);
  }
  .line .time {
    margin-inline-start: auto;
  }
  .chevron {
    font-size: 0.875rem;
    color: var(--ink-3);
  }
  [aria-expanded="true"] .chevron {
    rotate: 90deg;
  }
  .below {
    margin: calc(-1 * var(--s1)) 0 var(--s1) 1.5rem; /* belongs to the line: starts below its verb */
    font: var(--text-secondary) var(--sans);
    color: var(--ink-2);
  }
  .below + parley-card {
    margin-block-end: var(--s2); /* the next call is not part of the card */
  }
  .fault {
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }
  .fault.error {
    color: var(--danger);
  }
  @media (pointer: coarse) {
    button.line {
      min-height: 2.75rem;
    }
  }
`;
