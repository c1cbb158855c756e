import { css } from 'lit';

export const topBarStyles = css`
  header {
    display: flex;
    align-items: center;
    gap: var(--s1);
    height: 3rem;
    padding-inline: var(--s2);
    border-bottom: 1px solid var(--line);
  }
  h1 {
    display: flex;
    min-width: 3rem;
    font: 600 var(--text-body) var(--sans);
    white-space: nowrap;
  }
  h1 > .name,
  h1 > input {
    min-width: 0;
    padding-inline: var(--s2);
    font: inherit;
  }
  h1 > .name {
    display: block;
    overflow: hidden;
    text-overflow: ellipsis;
  }
  h1 > button.name {
    max-width: 100%;
    border-color: transparent;
    background: none;
  }
  h1 .untrusted {
    max-width: none;
  }
  h1 > input {
    width: 30rem;
    max-width: 100%;
  }
  h1:has(input) {
    flex: 1;
  }
  .grow {
    flex: 1;
  }
  header > button,
  header > a {
    flex: none;
  }
  .mode,
  .next,
  .presence {
    padding-inline: var(--s2);
    border-color: transparent;
    background: none;
    font: 500 var(--text-meta) var(--sans);
    color: var(--ink-2);
    white-space: nowrap;
    gap: 6px;
  }
  .mode svg,
  .presence svg {
    font-size: 1rem;
    color: var(--ink-3);
  }
  .mode.bypassPermissions {
    color: var(--danger);
  }
  .mode.bypassPermissions svg {
    color: inherit;
  }
  .presence {
    display: inline-flex;
    align-items: center;
  }
  .names {
    overflow: hidden;
    max-width: 12rem;
    text-overflow: ellipsis;
  }
  .next {
    font-variant-numeric: tabular-nums;
  }
  .back b::before {
    content: "";
    border: 0.1875rem solid var(--amber);
    border-radius: 50%;
  }
  .back {
    display: none;
    align-items: center;
    min-width: var(--control);
    height: var(--control);
    border-radius: var(--r-control);
    color: var(--ink-2);
    text-decoration: none;
  }
  .back svg {
    font-size: 1.25rem;
  }
  .back b {
    display: inline-flex;
    align-items: center;
    gap: var(--s1);
    font: 500 var(--text-meta) var(--sans);
    font-variant-numeric: tabular-nums;
  }
  .switch {
    justify-content: space-between;
  }
  .switch i {
    order: 1;
    flex: none;
    width: 1.75rem;
    height: 1rem;
    margin-left: auto;
    padding: 2px;
    border-radius: 99px;
    background: var(--line-strong);
    transition: background 120ms;
  }
  .switch i::before {
    content: "";
    display: block;
    width: 0.75rem;
    height: 0.75rem;
    border-radius: 50%;
    background: #ffffff;
    transition: translate 120ms;
  }
  .switch[aria-checked="true"] i {
    background: var(--accent);
  }
  .switch[aria-checked="true"] i::before {
    translate: 0.75rem 0;
    background: var(--on-accent);
  }
  .narrow {
    display: none;
  }
  @media (forced-colors: active) {
    .switch i {
      forced-color-adjust: none;
      background: Canvas;
      border: 1px solid CanvasText;
      padding: 1px;
    }
    .switch i::before {
      background: CanvasText;
    }
    .switch[aria-checked="true"] i {
      background: Highlight;
    }
    .switch[aria-checked="true"] i::before {
      background: HighlightText;
    }
  }
  @media (max-width: 48rem) {
    header {
      padding-inline: var(--s1);
    }
    .back {
      display: flex;
    }
    h1 {
      flex: 1;
    }
    .narrow {
      display: inline-flex;
    }
    .mode:not(.bypassPermissions),
    .next,
    .presence,
    h1 ~ .grow {
      display: none;
    }
  }
  /* On a phone with text twice as large the mode is hidden: a notice already shows it. */
  @media (max-width: 16rem) {
    .mode.bypassPermissions {
      display: none;
    }
  }
`;
