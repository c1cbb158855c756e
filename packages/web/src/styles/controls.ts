import { css } from 'lit';

/** Buttons, fields and dialogs. */
export const controls = css`
  button {
    font: 500 var(--text-secondary) var(--sans);
    color: var(--ink);
    background: var(--surface);
    border: 1px solid color-mix(in srgb, var(--ink) 16%, transparent);
    border-radius: var(--r-control);
    padding: var(--s1) var(--s3);
    min-height: var(--control);
    cursor: pointer;
    display: inline-flex;
    align-items: center;
    justify-content: center;
    gap: var(--s2);
    transition: background 120ms, border-color 120ms;
  }
  button .untrusted {
    max-width: min(16rem, 60vw);
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  button:disabled {
    cursor: default;
    opacity: 0.55;
  }
  button.primary {
    background: var(--accent);
    border-color: var(--accent);
    color: var(--on-accent);
  }
  button.danger {
    color: var(--danger);
  }
  button.plain {
    background: none;
    border-color: transparent;
    color: var(--ink-2);
    padding-inline: var(--s2);
  }
  /* On touch screens a hover style would stay until the next tap. */
  @media (hover: hover) {
    button:hover {
      background: var(--hover);
    }
    button.primary:hover {
      background: var(--accent-hover);
    }
    button:is(.plain, .icon):hover {
      color: var(--ink);
    }
  }
  button.icon {
    background: none;
    border-color: transparent;
    color: var(--ink-2);
    padding: 0;
    width: var(--control);
    font-size: 1.125rem;
  }
  input:not([type="checkbox"], [type="radio"]),
  select,
  textarea {
    font: 400 var(--text-body) var(--sans);
    font-kerning: none; /* as in base: the content may be untrusted */
    color: var(--ink);
    background: var(--surface);
    border: 1px solid var(--line-strong);
    border-radius: var(--r-control);
    padding: 3px var(--s3);
    min-height: var(--control);
    width: 100%;
    max-width: 100%;
  }
  select {
    appearance: none;
    padding-inline-end: 2rem;
    background: conic-gradient(from -45deg at bottom, var(--ink-2) 90deg, transparent 0) right var(--s3) center / 8px 4px
      no-repeat var(--surface);
  }
  select:dir(rtl) {
    background-position-x: var(--s3);
  }
  ::placeholder {
    color: var(--ink-3);
    opacity: 1;
    unicode-bidi: plaintext;
  }
  textarea {
    display: block;
    resize: vertical;
    min-height: 5rem;
  }
  :is(input, select, textarea):focus-visible {
    outline-offset: -1px;
  }
  [aria-invalid="true"]:not([type="checkbox"], [type="radio"], fieldset) {
    border-color: var(--danger);
  }
  input[type="checkbox"],
  input[type="radio"] {
    appearance: none;
    width: 1.0625rem;
    height: 1.0625rem;
    margin: 0.2rem 0 0;
    flex: none;
    border: 1.5px solid var(--line-strong);
    border-radius: 4px;
    transition: border-width 120ms, border-color 120ms, background 120ms;
  }
  input[type="radio"] {
    border-radius: 50%;
  }
  input[type="radio"]:checked {
    border: 0.3125rem solid var(--accent);
  }
  input[type="checkbox"]:checked {
    border-color: var(--accent);
    background: var(--accent);
  }
  input[type="checkbox"]:checked::before {
    content: "";
    display: block;
    width: 100%;
    height: 100%;
    background: var(--on-accent);
    clip-path: polygon(18% 48%, 8% 60%, 40% 92%, 94% 24%, 82% 12%, 38% 68%);
  }
  :is([type="checkbox"], [type="radio"]):disabled {
    opacity: 0.55;
  }
  @media (forced-colors: active) {
    input[type="checkbox"],
    input[type="radio"],
    select {
      appearance: auto;
    }
    input[type="checkbox"]:checked::before {
      content: none;
    }
  }
  /* Fingers need larger targets; iOS zooms into fields with smaller text. */
  @media (pointer: coarse) {
    summary {
      min-height: var(--control);
    }
    button {
      font-size: 0.9375rem;
    }
    input:not([type="checkbox"], [type="radio"]),
    select,
    textarea {
      font-size: 1rem;
    }
    input[type="checkbox"],
    input[type="radio"] {
      width: 1.375rem;
      height: 1.375rem;
    }
  }
  label {
    font-weight: 500;
  }
  dialog {
    border: 1px solid var(--line);
    border-radius: var(--r-card);
    background: var(--surface);
    color: var(--ink);
    box-shadow: 0 24px 64px rgb(0 0 0 / 22%);
    padding: var(--s5);
    max-width: min(46rem, calc(100vw - 2rem));
  }
  dialog::backdrop {
    background: rgb(10 10 10 / 40%);
  }
`;
