import { css } from 'lit';

export const approvalStyles = css`
  :host {
    position: sticky;
    bottom: 0;
    z-index: 1;
    container-type: inline-size;
  }
  @media (max-height: 45rem) {
    :host {
      position: var(--foot, static);
    }
  }
  .actions,
  .others {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: var(--s2);
  }
  .split {
    display: flex;
    order: 2;
    margin-inline-start: auto;
  }
  .split .primary:not(:last-child) {
    border-start-end-radius: 0;
    border-end-end-radius: 0;
  }
  .split .more {
    width: var(--control);
    min-width: 0;
    padding: 0;
    border-start-start-radius: 0;
    border-end-start-radius: 0;
    border-inline-start-color: color-mix(in srgb, var(--on-accent) 30%, transparent);
  }
  .more svg {
    transition: rotate 160ms ease-out;
  }
  .more[aria-expanded="true"] svg {
    rotate: 180deg;
  }
  /* High risk: no inviting colour, and quiet wider consents. */
  button.risky,
  button.risky:hover {
    background: var(--surface);
    border-color: var(--danger);
    color: var(--danger);
  }
  .split .risky.more {
    border-inline-start: 0;
  }
  button.risky:hover:enabled {
    background: var(--danger-soft);
  }
  /* The wider consents: rows below the buttons, each with what it would allow. */
  .others {
    order: 3;
    flex: 1 0 100%;
    flex-direction: column;
    align-items: stretch;
    gap: 0;
    border-top: 1px solid var(--line);
  }
  .others:not(.open) {
    display: none;
  }
  .other {
    display: grid;
    grid-template-columns: 11rem minmax(0, 1fr);
    gap: var(--s1) var(--s3);
    align-items: center;
    padding-block: var(--s2);
  }
  .other + .other {
    border-top: 1px solid var(--line);
  }
  .other.rule {
    grid-template-columns: minmax(0, 1fr);
  }
  .rule button {
    height: auto;
    justify-content: start;
    text-align: start;
  }
  .rule button .untrusted {
    max-width: none;
    white-space: normal;
  }
  .covers,
  .covered,
  .unread {
    font: 400 var(--text-meta) var(--sans);
    color: var(--ink-2);
    overflow-wrap: anywhere;
  }
  .covers,
  .covered {
    max-height: 6rem;
    overflow: auto;
  }
  code {
    font-family: var(--mono);
    white-space: pre-wrap;
  }
  .covered {
    display: none;
  }
  @container (min-width: 34rem) {
    .covered {
      display: block;
    }
    .others:not(.open) {
      display: flex;
      order: 1;
      flex: 0 1 auto;
      flex-direction: row;
      gap: var(--s2);
      margin-inline-start: auto;
      border: 0;
    }
    .actions:has(.others:not(.open)) .split {
      margin-inline-start: 0;
    }
    .others:not(.open) .other {
      display: block;
      padding: 0;
      border: 0;
    }
    .others:not(.open) .rule,
    .actions:not(.ruled) .more {
      display: none;
    }
    .actions:not(.ruled) .split .primary {
      border-radius: var(--r-control);
    }
  }
  @container (max-width: 26rem) {
    .other {
      grid-template-columns: minmax(0, 1fr);
    }
  }
  /* Shows the key that presses the focused button. */
  [data-answer]:focus-visible::after {
    content: "⏎" / "";
    opacity: 0.75;
  }
  .field {
    display: grid;
    gap: var(--s1);
    font: 400 var(--text-secondary) var(--sans);
  }
  .args {
    font: 400 0.8125rem/1.5 var(--mono);
    min-height: 8rem;
    max-height: 40vh;
  }
  @media (pointer: coarse) {
    .args {
      font-size: 1rem; /* iOS zooms into smaller text */
    }
  }
  .early {
    opacity: 0.55;
  }
  .error {
    color: var(--danger);
    font-weight: 500;
  }
`;
