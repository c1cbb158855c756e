import { css } from 'lit';

/** Reset and basics, shared by every shadow root. */
export const base = css`
  :host {
    display: block;
    box-sizing: border-box;
  }
  :host([hidden]),
  [hidden] {
    display: none !important;
  }
  *,
  *::before,
  *::after {
    box-sizing: border-box;
    /* What is consented to is read as it was written: no "!=" becomes one sign. The shorthand font would reset it. */
    font-variant-ligatures: none !important;
  }
  h1,
  h2,
  h3,
  p,
  dl,
  dd,
  ol,
  ul,
  pre,
  fieldset {
    margin: 0;
    padding: 0;
    border: 0;
    min-width: 0;
  }
  /* A long word of pairs that are kerned takes seconds to break. */
  .untrusted,
  .untrusted * {
    font-kerning: none !important;
  }
  /* Untrusted text has a direction of its own, and cannot change that of what surrounds it. */
  .untrusted {
    unicode-bidi: plaintext;
    overflow-wrap: anywhere;
  }
  dl {
    text-align: left; /* a value stands beside its label, in whatever direction it runs */
  }
  ol,
  ul {
    list-style: none;
  }
  a {
    color: var(--accent);
    text-underline-offset: 0.15em;
  }
  :focus-visible {
    outline: 2px solid var(--accent);
    outline-offset: 2px;
  }
  b,
  strong {
    font-weight: 600;
  }
  svg {
    display: block;
    width: 1em;
    height: 1em;
    flex: none;
    fill: none;
    stroke: currentColor;
    stroke-width: 1.8;
    stroke-linecap: round;
    stroke-linejoin: round;
  }
  kbd {
    font: 500 0.75rem/1 var(--mono);
    padding: 0.1875rem 0.3125rem;
    border: 1px solid color-mix(in srgb, currentColor 30%, transparent);
    border-radius: 4px;
  }
  /* Where nobody types, a key is no hint. */
  @media (hover: none) {
    button kbd {
      display: none;
    }
  }
  ::highlight(parley-found) {
    background: var(--accent);
    color: var(--on-accent);
  }
  .visually-hidden {
    position: absolute;
    width: 1px;
    height: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  @media (prefers-reduced-motion: reduce) {
    *,
    *::before,
    *::after {
      animation: none !important;
      transition: none !important;
    }
  }
`;
