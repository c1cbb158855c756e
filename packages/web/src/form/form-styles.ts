import { css } from 'lit';

export const formStyles = css`
  form {
    display: flex;
    flex-direction: column;
    gap: var(--s4);
  }
  .field {
    display: grid;
    gap: var(--s1);
  }
  .field.checkbox {
    grid-template-columns: auto minmax(0, 1fr);
    column-gap: var(--s2);
  }
  .field.checkbox > :not(input, .words) {
    grid-column: 2;
  }
  @media (pointer: coarse) {
    .checkbox label {
      display: inline-block;
      padding-block: 0.8125rem;
    }
    .checkbox > input {
      margin-block-start: 0.6875rem;
    }
  }
  .chip,
  .recommended {
    font: 500 0.75rem/1rem var(--sans);
    color: var(--ink-2);
    background: var(--sunken);
    border-radius: 99px;
    padding: 0.125rem var(--s2);
  }
  .chip {
    justify-self: start;
  }
  .recommended {
    color: var(--accent);
    background: var(--accent-soft);
    white-space: nowrap;
  }
  legend,
  label {
    padding: 0;
    font-weight: 500;
    overflow-wrap: anywhere;
  }
  legend {
    margin-bottom: var(--s2);
  }
  .tabs ~ .section .chip {
    display: none; /* the tab shows it */
  }
  .required {
    color: var(--danger);
  }
  .about {
    color: var(--ink-2);
    font: 400 var(--text-secondary) var(--sans);
    overflow-wrap: anywhere;
  }
  .error {
    color: var(--danger);
    font: 500 var(--text-secondary) var(--sans);
  }
  .error::before {
    content: "! " / "";
    font-weight: 700;
  }
  /* A field as wide as its values. */
  @media (min-width: 30.01rem) {
    input:is([role="spinbutton"], [type="date"], [type="time"], [type="datetime-local"]) {
      max-width: 13.75rem;
    }
  }
  .options {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: var(--s2);
  }
  .option {
    position: relative;
    display: flex;
    flex-wrap: wrap;
    gap: var(--s1) var(--s3);
    align-items: center;
    min-height: 2.75rem;
    padding: var(--s2) var(--s3);
    border: 1px solid var(--line);
    border-radius: var(--r-control);
    transition: background 120ms, border-color 120ms;
  }
  /* Many options are scanned rather than read: a row each, with the description at the side. */
  @media (pointer: fine) {
    .options:has(> :nth-child(10)) .option {
      min-height: 2.25rem;
      padding-block: var(--s1);
    }
  }
  .options:has(> :nth-child(10)) {
    gap: 2px;
  }
  .options:has(> :nth-child(10)) .option > div {
    display: flex;
    flex-wrap: wrap;
    gap: 0 var(--s3);
  }
  .option > input {
    z-index: 1;
    position: relative;
    margin: 0;
  }
  .option:hover {
    background: var(--hover);
  }
  .option:has(:checked) {
    border-color: var(--accent);
    background: var(--accent-soft);
  }
  .option:has(:checked) .about {
    color: var(--ink);
  }
  .option:has(:focus-visible) {
    outline: 2px solid var(--accent);
    outline-offset: 2px;
  }
  .option > :focus-visible {
    outline: none;
  }
  .option > div {
    flex: 1;
    min-width: 0;
  }
  .option label::after {
    content: "";
    position: absolute;
    inset: 0;
  }
  .preview {
    position: relative;
    z-index: 1;
    flex-basis: 100%;
    min-width: 0;
  }
  .preview summary {
    align-content: center;
    width: fit-content;
    color: var(--ink-2);
    font: 400 var(--text-meta) var(--sans);
    cursor: pointer;
  }
  .preview pre {
    overflow-x: auto;
    max-height: 16rem;
    margin-top: var(--s1);
    padding: var(--s2) var(--s3);
    border-radius: var(--r-control);
    background: var(--sunken);
    font: 400 var(--text-secondary) var(--mono);
    white-space: pre;
  }
  /* Digits are shown while they work: in the card that has the focus, and there in the focused group or the first one. */
  .option kbd {
    display: var(--digits, none);
    color: var(--ink-2);
    border-color: var(--line-strong);
    opacity: 1;
  }
  form:has(fieldset:focus-within) fieldset:not(:focus-within) kbd,
  fieldset ~ fieldset:not(:focus-within) kbd,
  .section:has(fieldset) ~ .section fieldset:not(:focus-within) kbd {
    visibility: hidden;
  }
  @media (max-width: 30rem) {
    .option kbd {
      display: none;
    }
  }
  .other {
    margin-top: var(--s1);
  }
  .secret {
    display: flex;
    gap: var(--s2);
  }
  .masked {
    -webkit-text-security: disc;
  }
  .secret button {
    flex: none;
    min-width: 4.25rem;
  }
  .section {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: var(--s4);
  }
  .section + .section {
    border-top: 1px solid var(--line);
    padding-top: var(--s4);
  }
  .section > header h3 {
    font: 600 0.9375rem/1.5rem var(--sans);
  }
  .summary {
    border: 1px solid var(--danger);
    border-radius: var(--r-control);
    padding: var(--s2) var(--s3);
    font: 400 var(--text-secondary) var(--sans);
    color: var(--ink);
  }
  .summary strong {
    font-weight: 600;
    color: var(--danger);
  }
  .summary ul {
    margin: var(--s1) 0 0;
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
  .tabs {
    border-bottom: 1px solid var(--line);
    overflow-x: auto;
    scrollbar-width: none;
  }
  .tabs ol {
    display: flex;
    gap: var(--s4);
  }
  .tabs li {
    flex: none;
  }
  .tab,
  .tab:hover {
    gap: var(--s1);
    padding-inline: 0;
    color: var(--ink-2);
    background: none;
    border: 0;
    border-bottom: 2px solid transparent;
    border-radius: 0;
    font: 500 0.8125rem/1.125rem var(--sans);
  }
  .tab:hover {
    color: var(--ink);
  }
  .tab[aria-current] {
    color: var(--ink);
    border-bottom-color: var(--accent);
  }
  .tab:focus-visible {
    outline-offset: -2px;
  }
  .tab .untrusted {
    max-width: 10rem;
  }
  .tab svg {
    color: var(--ok);
  }
  .view {
    display: grid;
    gap: var(--s2);
  }
  .view > button {
    justify-self: start;
    margin-inline-start: calc(-1 * var(--s2));
  }
  .review {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
  }
  .review > div {
    display: grid;
    grid-template-columns: minmax(0, 2fr) minmax(0, 3fr) auto;
    gap: var(--s1) var(--s4);
    align-items: baseline;
    padding-block: var(--s1);
  }
  .review > div + div {
    border-top: 1px solid var(--line);
  }
  dt {
    font: 400 var(--text-secondary) var(--sans);
    color: var(--ink-2);
    overflow-wrap: anywhere;
  }
  dd {
    font-weight: 500;
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }
  .actions {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: var(--s2);
  }
  .actions .plain:first-child {
    margin-inline-start: calc(-1 * var(--s2));
  }
  .actions:has(> .grow:last-child) {
    margin-block: calc(-1 * var(--s2)); /* no band for a lone Cancel */
  }
  .actions .grow {
    flex: 1;
  }
  .actions .primary {
    margin-inline-start: auto; /* at the end of its row, even if that is the second */
  }
  .soon {
    min-width: 0;
    font: 400 var(--text-secondary) var(--sans);
    color: var(--ink-2);
    overflow-wrap: anywhere;
  }
  @media (max-width: 30rem) {
    .review > div {
      grid-template-columns: minmax(0, 1fr) auto;
    }
    .review dt {
      grid-column: 1 / -1;
    }
  }
`;
