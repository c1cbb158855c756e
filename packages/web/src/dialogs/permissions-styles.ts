import { css } from 'lit';

export const permissionsStyles = css`
  dialog {
    width: min(40rem, calc(100vw - 2rem));
    max-height: min(44rem, calc(100dvh - 2rem));
    overflow-y: auto;
    scroll-padding-top: 5rem; /* the heading is sticky */
    padding-top: 0;
  }
  dialog > * + * {
    margin-top: var(--s4);
  }
  .top {
    position: sticky;
    top: 0;
    z-index: 1;
    display: flex;
    align-items: center;
    justify-content: space-between;
    gap: var(--s4);
    margin-inline: calc(-1 * var(--s5));
    padding: var(--s3) var(--s4) var(--s3) var(--s5);
    background: var(--surface);
    border-bottom: 1px solid var(--line);
  }
  @media (max-width: 30rem) {
    dialog[open] {
      scroll-padding-top: 6.5rem; /* the handle is sticky, too */
    }
    parley-handle {
      top: 0;
      margin-block: 0;
    }
    .top {
      top: 1.5rem;
      margin-top: 0;
    }
  }
  @media (max-height: 30rem) {
    .top {
      position: static; /* if it were sticky, no space would be left below it */
    }
  }
  h3,
  legend {
    padding: 0 0 var(--s2);
    font: 500 var(--text-meta) var(--sans);
    color: var(--ink-3);
  }
  .modes {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    justify-items: start;
    gap: var(--s3);
  }
  fieldset {
    display: grid;
    gap: var(--s3);
  }
  label {
    display: flex;
    gap: var(--s3);
    font: 400 var(--text-secondary) var(--sans);
    color: var(--ink-2);
  }
  @media (pointer: coarse) {
    label {
      min-height: var(--control);
    }
  }
  label b {
    font-weight: 500;
    color: var(--ink);
  }
  label i {
    font: 400 var(--text-meta) var(--sans);
    color: var(--accent);
  }
  .sure {
    color: var(--danger);
    background: var(--danger-soft);
    border-radius: var(--r-control);
    padding: var(--s3);
  }
  li {
    display: flex;
    align-items: start;
    gap: var(--s3);
    padding-block: var(--s3);
    border-top: 1px solid var(--line);
    scroll-margin: 5rem 0 var(--s4);
  }
  li:focus {
    outline: 2px solid var(--accent);
    outline-offset: 4px;
    border-radius: 2px;
  }
  .what {
    flex: 1;
    min-width: 0;
    display: grid;
    gap: var(--s1);
    overflow-wrap: anywhere;
  }
  .what .title {
    font-weight: 500;
    color: var(--ink);
  }
  code {
    font: 400 var(--text-meta) var(--mono);
    background: var(--sunken);
    border-radius: 4px;
    padding: 1px var(--s1);
    white-space: pre-wrap;
  }
  .what .subtle {
    font: 400 var(--text-meta) var(--sans);
    color: var(--ink-3);
  }
  .notice {
    min-height: 1.125rem;
  }
  p.failure {
    color: var(--danger);
  }
`;
