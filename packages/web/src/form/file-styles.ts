import { css } from 'lit';

/** Styles of a field that takes files. */
export const fileStyles = css`
  parley-file-field {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: var(--s2);
  }
  .drop {
    position: relative;
    display: flex;
    align-items: center;
    justify-content: center;
    min-height: 3.5rem;
    padding: var(--s2) var(--s3);
    border: 1px dashed color-mix(in srgb, var(--ink) 32%, transparent);
    border-radius: var(--r-control);
    color: var(--ink-2);
    text-align: center;
    transition: background 120ms, border-color 120ms;
  }
  .drop:hover,
  .drop.over {
    background: var(--hover);
    color: var(--ink);
  }
  .drop.over,
  .drop:has(:focus-visible) {
    border-color: var(--accent);
  }
  .drop:has(:focus-visible) {
    outline: 2px solid var(--accent);
    outline-offset: 2px;
  }
  .drop:has(:disabled) {
    opacity: 0.55;
  }
  .drop > input {
    position: absolute;
    inset: 0;
    width: 100%;
    height: 100%;
    min-height: 0;
    margin: 0;
    opacity: 0;
    cursor: pointer;
  }
  .drop > span {
    display: inline-flex;
    align-items: center;
    gap: var(--s2);
    font: 500 var(--text-secondary) var(--sans);
  }
  .files {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: var(--s1);
    margin: 0;
    padding: 0;
    list-style: none;
  }
  .files[hidden] {
    display: none;
  }
  .files li {
    display: flex;
    align-items: center;
    gap: var(--s1) var(--s3);
    min-height: 2.75rem;
    padding-inline: var(--s3) var(--s1);
    border: 1px solid var(--line);
    border-radius: var(--r-control);
  }
  .files .failed {
    flex-wrap: wrap;
  }
  .files .about {
    flex: none;
  }
  .files .mark {
    color: var(--ok);
  }
  .files .name {
    flex: 3;
    min-width: 0;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .files progress {
    flex: 1 1 3rem;
    min-width: 3rem;
    max-width: 8rem;
    height: 0.375rem;
    accent-color: var(--accent);
  }
  .files .fault {
    flex: 1 1 100%;
    order: 1;
    padding-block-end: var(--s2);
    color: var(--danger);
    font: 500 var(--text-secondary) var(--sans);
    overflow-wrap: anywhere;
  }
  .files .icon {
    border-color: transparent;
    background: none;
    min-width: var(--control);
    padding: 0;
  }
  @media (pointer: coarse) {
    .by-mouse {
      display: none;
    }
    .files .icon {
      min-width: 2.75rem;
      min-height: 2.75rem;
    }
  }
`;
