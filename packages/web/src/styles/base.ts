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
    /* Consent is given to the text as it was written, so "!=" must not become one glyph. The font shorthand would reset this.
       */
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
  /* Kerning makes line breaking take seconds in a long word full of kerning pairs. */
  .untrusted,
  .untrusted * {
    font-kerning: none !important;
  }
  /* Untrusted text has its own direction, and cannot change that of its surroundings. */
  .untrusted {
    unicode-bidi: plaintext;
    overflow-wrap: anywhere;
  }
  dl {
    text-align: left; /* stays next to its label, whatever its direction */
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
  /* Without a keyboard, hints about keys are useless. */
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
