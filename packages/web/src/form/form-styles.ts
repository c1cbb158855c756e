import { css } from 'lit';

export const formStyles = css`
  form {
    display: flex;
    flex-direction: column;
    gap: 1.1rem;
  }
  .field {
    display: grid;
    gap: 0.35rem;
  }
  .field.checkbox {
    grid-template-columns: auto 1fr;
    column-gap: 0.6rem;
  }
  .field.checkbox > :not(input, .words) {
    grid-column: 2;
  }
  .chip {
    justify-self: start;
    font-size: 0.75rem;
    font-weight: 600;
    color: var(--ink-2);
    background: var(--sunken);
    border: 1px solid var(--line);
    border-radius: 99px;
    padding: 0.1rem 0.55rem;
  }
  legend,
  label {
    padding: 0;
    font-weight: 500;
    overflow-wrap: anywhere;
  }
  legend {
    margin-bottom: 0.35rem;
  }
  .required {
    color: var(--danger);
  }
  .about {
    color: var(--ink-2);
    font-size: 0.8125rem;
    overflow-wrap: anywhere;
  }
  .error {
    color: var(--danger);
    font-size: 0.8125rem;
    font-weight: 500;
  }
  .error::before {
    content: "⚠ ";
  }
  .options {
    display: grid;
    gap: 0.35rem;
  }
  .option {
    position: relative;
    display: flex;
    gap: 0.65rem;
    align-items: flex-start;
    padding: 0.5rem 0.7rem;
    border: 1px solid var(--line);
    border-radius: var(--r-control);
  }
  @media (pointer: coarse) {
    .option {
      min-height: 2.75rem;
      padding-block: 0.65rem;
    }
  }
  .option:hover {
    background: var(--hover);
  }
  .option:has(:checked) {
    border-color: var(--accent);
    background: var(--accent-soft);
  }
  .option > div {
    flex: 1;
  }
  .option label::after {
    content: "";
    position: absolute;
    inset: 0;
  }
  .option kbd {
    align-self: center;
    color: var(--ink-3);
    opacity: 1;
  }
  /* Digits are shown where they act: in the focused group, otherwise in the first one. */
  form:has(fieldset:focus-within) fieldset:not(:focus-within) kbd,
  fieldset ~ fieldset:not(:focus-within) kbd,
  .section:has(fieldset) ~ .section fieldset:not(:focus-within) kbd {
    visibility: hidden;
  }
  @media (hover: none), (max-width: 30rem) {
    .option kbd {
      display: none;
    }
  }
  .other {
    margin-top: 0.35rem;
  }
  .secret {
    display: flex;
    gap: 0.5rem;
  }
  .secret button {
    flex: none;
    min-width: 4.25rem;
  }
  .section {
    display: grid;
    gap: 1rem;
  }
  .section + .section {
    border-top: 1px solid var(--line);
    padding-top: 1rem;
  }
  .section > header h3 {
    margin: 0;
    font-size: 0.9375rem;
  }
  .summary {
    border: 1px solid var(--danger);
    background: var(--danger-soft);
    border-radius: var(--r-control);
    padding: 0.6rem 0.8rem;
    font-size: 0.875rem;
    color: var(--ink);
  }
  .summary strong {
    color: var(--danger);
  }
  .summary ul {
    margin: 0.25rem 0 0;
  }
  .summary button {
    all: unset;
    cursor: pointer;
    text-decoration: underline;
    text-underline-offset: 0.15em;
  }
  .summary button:focus-visible {
    outline: 2px solid var(--accent);
  }
  .progress {
    display: flex;
    gap: 0.75rem;
    align-items: center;
    color: var(--ink-2);
    font-size: 0.8125rem;
  }
  .progress ol {
    display: flex;
    gap: 0.25rem;
    flex: 1;
  }
  .progress li {
    height: 3px;
    flex: 1;
    max-width: 3rem;
    border-radius: 2px;
    background: var(--line);
  }
  .progress li.done {
    background: var(--accent);
  }
  @media (forced-colors: active) {
    .progress li {
      border: 1px solid CanvasText;
    }
    .progress li.done {
      forced-color-adjust: none;
      background: Highlight;
    }
  }
  .actions {
    display: flex;
    gap: 0.5rem;
    justify-content: flex-end;
    flex-wrap: wrap;
    align-items: center;
  }
  .actions .grow {
    flex: 1;
  }
`;
