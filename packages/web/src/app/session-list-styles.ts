import { css } from 'lit';

export const sessionListStyles = css`
  :host {
    display: flex;
    flex-direction: column;
    gap: var(--s5);
    min-height: 0;
    padding: var(--s1) var(--s2) var(--s4);
    overflow-y: auto;
  }
  h2 {
    padding: 0 var(--s2) var(--s1);
    font: 500 var(--text-meta) var(--sans);
    color: var(--ink-3);
  }
  h2 a {
    display: inline-flex;
    align-items: center;
    gap: 2px;
    padding: 0;
    min-height: 0;
    font: inherit;
    color: var(--accent);
  }
  h2 a:hover {
    background: none;
    text-decoration: underline;
  }
  @media (pointer: coarse) {
    h2 a {
      min-height: var(--control);
    }
  }
  ul {
    display: grid;
    gap: 1px;
  }
  a {
    display: grid;
    grid-template-columns: 0.5rem minmax(0, 1fr) auto;
    align-items: center;
    column-gap: var(--s2);
    min-height: var(--control);
    padding: 7px var(--s2);
    border-radius: var(--r-control);
    font: 400 var(--text-secondary) var(--sans);
    color: var(--ink);
    text-decoration: none;
  }
  a:hover,
  a[aria-current="page"] {
    background: var(--hover);
  }
  a[aria-current="page"] .title {
    font-weight: 500;
  }
  .title,
  .prompt {
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .inbox .title {
    font-weight: 500;
  }
  .prompt {
    grid-column: 2 / -1;
    color: var(--ink-2);
  }
  .prompt b {
    font-weight: 500;
    color: var(--ink);
  }
  .high {
    font-style: normal;
    color: var(--danger);
  }
  .dot {
    width: 0.375rem;
    height: 0.375rem;
    margin-inline: 1px;
    border-radius: 50%;
  }
  .dot.running {
    background: var(--accent);
  }
  .dot.waiting {
    background: var(--amber);
  }
  .when,
  .note {
    font: 400 var(--text-meta) var(--sans);
    font-variant-numeric: tabular-nums;
    color: var(--ink-3);
  }
  .when b {
    font-weight: 500;
    color: var(--danger);
  }
  .note {
    padding: var(--s1) var(--s2);
  }
  /* Further prompts of a session stand close to the first. */
  a:not(:has(.title)) {
    min-height: max(1.5rem, var(--control) - 0.5rem);
    padding-block: 3px;
  }
  li:has(.title) + li:has(a:not(:has(.title))) {
    margin-top: -5px;
  }
  .more {
    justify-self: start;
    align-self: start;
    color: var(--ink-2);
  }
  @media (pointer: coarse) {
    a:not(:has(.title)) {
      min-height: var(--control);
    }
    .title {
      font-size: 0.9375rem;
      line-height: 1.25rem;
    }
  }
  @media (forced-colors: active) {
    .dot {
      forced-color-adjust: none;
    }
    .dot.running {
      background: CanvasText;
    }
    .dot.waiting {
      background: Highlight;
    }
    .ghost {
      border: 1px solid GrayText;
    }
  }
  /* The placeholder starts invisible, so that it does not flash if the list arrives at once. */
  .ghost {
    height: 0.5rem;
    margin: 0.75rem var(--s2);
    border-radius: 4px;
    background: var(--hover);
    animation: appear 200ms 300ms backwards;
  }
  .ghost:nth-of-type(even) {
    width: 60%;
  }
  @keyframes appear {
    from {
      opacity: 0;
    }
  }
`;
