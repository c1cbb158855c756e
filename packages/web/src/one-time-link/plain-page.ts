import { css } from 'lit';

/** Styles of a page that replaces the app: its column, and the box with the result. */
export const plainPage = css`
  :host {
    height: 100dvh;
    overflow: auto;
    padding: var(--s5) var(--s4);
  }
  main {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: var(--s4);
    width: min(46rem, 100%);
    margin-inline: auto;
  }
  h1 {
    display: flex;
    align-items: center;
    gap: var(--s2);
    font: var(--text-h1) var(--sans);
  }
  p {
    color: var(--ink-2);
    font: 400 var(--text-secondary) var(--sans);
    overflow-wrap: anywhere;
  }
  .end {
    display: grid;
    justify-items: start;
    gap: var(--s1);
    padding: var(--s4);
    border: 1px solid var(--line);
    border-radius: var(--r-card);
    background: var(--surface);
    box-shadow: var(--shadow);
  }
  .end button {
    margin-top: var(--s2);
  }
  h2 {
    font: var(--text-h2) var(--sans);
    overflow-wrap: anywhere;
  }
  h2:focus {
    outline: none;
  }
`;
