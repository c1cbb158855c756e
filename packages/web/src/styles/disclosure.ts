import { css } from 'lit';

/** A line that opens what is below it. */
export const disclosure = css`
  summary {
    display: flex;
    align-items: center;
    gap: var(--s2);
    width: fit-content;
    padding-block: var(--s1);
    font: 400 var(--text-secondary) var(--sans);
    color: var(--ink-2);
    border-radius: 4px;
    cursor: pointer;
  }
  summary::before {
    content: "";
    flex: none;
    width: 0.3125rem;
    height: 0.3125rem;
    margin-inline-end: 2px;
    border: solid currentColor;
    border-width: 1.5px 1.5px 0 0;
    rotate: 45deg;
    transition: rotate 120ms;
  }
  summary:dir(rtl)::before {
    rotate: 225deg;
  }
  details[open] > summary::before {
    rotate: 135deg;
  }
`;
