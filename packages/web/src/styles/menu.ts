import { css } from 'lit';

/** A menu that opens from a button in the upper right corner of its container. */
export const menuStyles = css`
  .menu:popover-open {
    display: grid;
    position: fixed;
    inset: 2.75rem var(--s2) auto auto;
    margin: 0;
    min-width: 14rem;
    max-width: calc(100vw - var(--s4));
    max-height: calc(100dvh - 2.75rem - var(--s2));
    overflow-y: auto;
    padding: var(--s1);
    border: 1px solid var(--line);
    border-radius: calc(var(--r-control) + var(--s1));
    background: var(--surface);
    color: var(--ink);
    box-shadow: 0 12px 32px rgb(0 0 0 / 16%);
  }
  .menu button {
    width: 100%;
    justify-content: flex-start;
    gap: var(--s3);
    padding-inline: var(--s2);
    border-color: transparent;
    background: none;
    font-weight: 400;
  }
  .menu button:hover {
    background: var(--hover);
  }
  .menu button:focus-visible {
    outline-offset: -2px;
  }
  .menu button svg {
    font-size: 1rem;
    color: var(--ink-3);
  }
  .menu button.danger svg {
    color: inherit;
  }
  .menu hr {
    width: calc(100% + 2 * var(--s1));
    margin: var(--s1) calc(-1 * var(--s1));
    border: 0;
    border-top: 1px solid var(--line);
  }
  .menu p {
    padding: var(--s2);
    font: 400 var(--text-meta) var(--sans);
    color: var(--ink-3);
  }
  .menu p b {
    display: block;
    font: 500 var(--text-secondary) var(--sans);
    color: var(--ink);
  }
`;
