import { css } from 'lit';

export const paletteStyles = css`
  :host {
    position: absolute;
  }
  dialog {
    width: min(36rem, calc(100vw - 2 * var(--s4)));
    margin-top: min(14dvh, 8rem);
    padding: 0;
    overflow: hidden;
  }
  .box {
    display: grid;
    grid-template: auto minmax(0, 1fr) auto / minmax(0, 1fr);
    max-height: min(28rem, 70dvh);
  }
  .field {
    display: flex;
    align-items: center;
    gap: var(--s2);
    padding-inline-start: var(--s4);
    border-bottom: 1px solid var(--line);
    color: var(--ink-3);
  }
  .field:focus-within {
    border-bottom-color: var(--accent);
  }
  input,
  input:focus-visible {
    min-height: 3rem;
    padding-inline: 0 var(--s4);
    border: 0;
    outline: none;
    background: none;
    font: var(--text-body) var(--sans);
    color: var(--ink);
  }
  @media (pointer: coarse) {
    input,
    input:focus-visible {
      font-size: 1rem; /* iOS zooms into less */
    }
  }
  .options {
    padding: var(--s2);
    overflow-y: auto;
  }
  .group {
    padding: var(--s2) var(--s2) var(--s1);
    font: 500 var(--text-meta) var(--sans);
    color: var(--ink-3);
  }
  .option {
    display: flex;
    align-items: center;
    gap: var(--s3);
    min-height: max(2.25rem, var(--control));
    padding-inline: var(--s2);
    border-radius: var(--r-control);
    font: 400 var(--text-secondary) var(--sans);
    cursor: pointer;
  }
  .option:hover,
  .option[aria-selected="true"] {
    background: var(--hover);
  }
  .name {
    flex: 1;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .hint {
    font: 400 var(--text-meta) var(--sans);
    font-variant-numeric: tabular-nums;
    color: var(--ink-3);
  }
  .note:not(:empty) {
    padding: 0 var(--s4) var(--s3);
    font: 400 var(--text-meta) var(--sans);
    color: var(--ink-3);
  }
  @media (max-width: 30rem) {
    dialog {
      margin-top: var(--s2);
    }
    .box {
      max-height: calc(100dvh - 2 * var(--s2) - env(safe-area-inset-bottom));
    }
  }
  @media (forced-colors: active) {
    .option[aria-selected="true"] {
      outline: 2px solid Highlight;
      outline-offset: -2px;
    }
  }
`;
