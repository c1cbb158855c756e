import { css } from 'lit';

/** Styles of the message box. */
export const composerStyles = css`
  form {
    background: var(--surface);
    border: 1px solid var(--line-strong);
    border-radius: var(--r-card);
    padding: var(--s2);
    box-shadow: var(--shadow);
  }
  .row,
  .fate {
    display: flex;
    align-items: flex-end;
    gap: var(--s2);
  }
  .row > .icon {
    margin-inline: calc(-1 * var(--s1)) calc(-1 * var(--s2));
  }
  .fate {
    flex-wrap: wrap;
    align-items: center;
    justify-content: space-between;
    gap: 0 var(--s3);
    padding: 0 0 var(--s1) var(--s2);
    font: 400 var(--text-secondary) var(--sans);
    color: var(--ink-2);
  }
  .fate button {
    font: 500 var(--text-secondary) var(--sans);
  }
  .fate p {
    flex: 1 1 8rem;
    min-width: 0;
    overflow-wrap: anywhere;
  }
  .fate.target {
    flex-wrap: nowrap;
    justify-content: flex-start;
    gap: 0;
  }
  .target p {
    display: -webkit-box;
    flex: 0 1 auto;
    overflow: hidden;
    -webkit-box-orient: vertical;
    -webkit-line-clamp: 1; /* unlike a line that cannot wrap, it widens nothing around it */
  }
  .target b {
    font-weight: 500;
    color: var(--ink);
  }
  .error {
    padding: 0 var(--s2) var(--s1);
    font: 400 var(--text-secondary) var(--sans);
    color: var(--danger);
  }
  form:focus-within {
    border-color: var(--accent);
    outline: 1px solid var(--accent);
  }
  textarea {
    flex: 1;
    field-sizing: content;
    min-height: var(--control);
    max-height: min(40vh, 16rem);
    resize: none;
    border: 0;
    background: none;
    padding: calc((var(--control) - 1.5rem) / 2) var(--s2); /* a line is level with the button */
  }
  .icon + textarea {
    padding-inline-start: var(--s1);
  }
  textarea:focus-visible {
    outline: none;
  }
  button {
    border-radius: var(--r-control);
    flex: none;
  }
  button.primary {
    width: 2rem;
    padding: 0;
    font-size: 1.0625rem;
  }
  @media (pointer: coarse) {
    button.primary {
      width: 2.75rem;
    }
  }
  /* On low screens the box is one line until it is used. */
  @media (max-height: 37.5rem) {
    form:not(:focus-within) {
      padding-block: 0;
    }
    form:not(:focus-within) .fate {
      position: absolute;
      clip-path: inset(50%);
    }
  }
  .stop svg {
    fill: currentcolor;
  }
  /* The button is an icon without text, to leave space for the message. */
  @media (max-width: 30rem) {
    .stop {
      width: var(--control);
      padding: 0;
    }
    .stop span {
      position: fixed; /* adds nothing to the scrollable length */
      clip-path: inset(50%);
    }
  }
`;
