import { css } from 'lit';

export const approvalStyles = css`
  /* The buttons rise only so far that the question stays in view: their margin may not leave the card. */
  :host {
    margin-top: var(--rise, 10rem);
    position: sticky;
    bottom: 0;
    z-index: 1;
    container-type: inline-size;
  }
  /* What is commented on or edited is as long as it is: only the buttons stay in view then, and cover as little as they can. */
  :host([commenting]),
  :host([editing]),
  :is(:host([commenting]), :host([editing])) .foot {
    position: static;
  }
  :is(:host([commenting]), :host([editing])) .actions {
    position: sticky;
    bottom: 0;
    z-index: 1;
    margin: calc(-1 * var(--s2)) calc(-1 * var(--pad)) calc(-1 * max(var(--s3), var(--safe, 0px)));
    padding: var(--s2) var(--pad) max(var(--s3), var(--safe, 0px));
    background: var(--surface);
  }
  @media (max-height: 45rem) {
    :host,
    :is(:host([commenting]), :host([editing])) .actions {
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
  /* On a phone the buttons stay in one line; files go with words, so their button comes with the reason. */
  @media (max-width: 30rem) {
    .actions:not(.said) slot[name="attach"] {
      display: none;
    }
  }
  .split {
    display: flex;
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
  /* Disabled for a moment against misclicks, without looking disabled. */
  button.inert:disabled {
    opacity: 1;
  }
  .more svg {
    transition: rotate 160ms ease-out;
  }
  .more[aria-expanded="true"] svg {
    rotate: 180deg;
  }
  /* High risk: no inviting colour, and red for what would allow more than this. */
  .split .risky,
  .split .risky:hover {
    background: var(--surface);
    border-color: var(--line-strong);
    color: var(--ink);
  }
  .split .risky.more {
    border-inline-start: 0;
  }
  .split .risky:hover:enabled {
    background: var(--hover);
  }
  .other .risky {
    border-color: var(--danger);
    color: var(--danger);
  }
  .other .risky:hover:enabled {
    background: var(--danger-soft);
  }
  /* The wider consents: rows below the buttons, each with what it would allow. */
  .others {
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
  .unread {
    font: 400 var(--text-meta) var(--sans);
    color: var(--ink-2);
    overflow-wrap: anywhere;
  }
  .covers {
    max-height: 6rem;
    overflow: auto;
  }
  code {
    font-family: var(--mono);
    white-space: pre-wrap;
  }
  @container (max-width: 26rem) {
    .other {
      grid-template-columns: minmax(0, 1fr);
    }
  }
  /* Digits are shown while they work on this card, because it has the focus. They take no space: nothing moves under a press. */
  [data-answer] {
    position: relative;
  }
  kbd {
    position: absolute;
    inset: -0.5rem -0.375rem auto auto;
    display: var(--digits, none);
    color: var(--ink-2);
    background: var(--surface);
  }
  kbd::before {
    content: attr(data-digit);
  }
  [data-answer]:focus-visible kbd,
  .foot:has(:is(input, textarea):focus) kbd {
    display: none;
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
  .args.text {
    min-height: 0;
    field-sizing: content;
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
