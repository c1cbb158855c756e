import { css } from 'lit';

/** On a phone a dialog is a sheet at the lower edge. */
const sheet = css`
  @media (max-width: 30rem) {
    dialog[open] {
      margin: auto 0 0;
      width: 100%;
      max-width: 100%;
      max-height: 92dvh;
      scroll-padding-top: 2rem; /* keeps focused elements clear of the handle */
      border-inline: 0;
      border-bottom: 0;
      border-radius: var(--r-sheet) var(--r-sheet) 0 0;
    }
  }
`;

/** A dialog as wide as a card. */
export const wideDialog = css`
  ${sheet}
  dialog {
    width: min(46rem, calc(100vw - 2rem));
    max-height: calc(100dvh - 2rem);
    padding: 0;
  }
`;

/** The page's own dialogs: a heading, text, and buttons at the end. */
export const plainDialog = css`
  ${sheet}
  h2 {
    font: var(--text-h2) var(--sans);
  }
  h2:focus {
    outline: none;
  }
  p {
    color: var(--ink-2);
    font: 400 var(--text-secondary) var(--sans);
  }
  .failure {
    color: var(--danger);
  }
  .actions {
    display: flex;
    justify-content: flex-end;
    gap: var(--s2);
    margin-top: var(--s2);
  }
  @media (max-width: 30rem) {
    dialog[open] {
      padding-bottom: max(var(--s5), env(safe-area-inset-bottom));
    }
    parley-handle {
      top: calc(-1 * var(--s5));
      margin: calc(-1 * var(--s5)) calc(-1 * var(--s5)) 0;
    }
  }
`;

/** A small dialog around a form. */
export const smallDialog = css`
  dialog {
    width: min(26rem, calc(100vw - 2rem));
  }
  form {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: var(--s3);
  }
`;
