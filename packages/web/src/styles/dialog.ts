import { css } from 'lit';

/** A dialog as wide as a card. */
export const wideDialog = css`
  dialog {
    width: min(46rem, calc(100vw - 2rem));
    max-height: calc(100dvh - 2rem);
    padding: 0;
  }
`;

/** A small dialog: a heading, a sentence, and its buttons at the end. */
export const smallDialog = css`
  form {
    display: grid;
    gap: 0.9rem;
    width: min(24rem, calc(100vw - 4.5rem));
  }
  h2 {
    font-size: 1.0625rem;
    font-weight: 600;
  }
  p {
    color: var(--ink-2);
    font-size: 0.875rem;
  }
  .actions {
    display: flex;
    justify-content: flex-end;
    gap: 0.5rem;
  }
`;
