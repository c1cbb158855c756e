import { css } from 'lit';

export const permissionsStyles = css`
  dialog {
    width: min(40rem, calc(100vw - 1.5rem));
    max-height: min(44rem, calc(100dvh - 2rem));
    overflow-y: auto;
    padding: 0 1.25rem 1rem;
  }
  dialog > * + * {
    margin-top: 1.1rem;
  }
  .top {
    position: sticky;
    top: 0;
    z-index: 1;
    display: flex;
    align-items: center;
    justify-content: space-between;
    gap: 1rem;
    padding-block: 0.9rem;
    background: var(--surface);
    border-bottom: 1px solid var(--line);
  }
  h2 {
    font-size: 1.0625rem;
    font-weight: 600;
  }
  h2:focus {
    outline: none;
  }
  h3,
  legend {
    font-size: 0.8125rem;
    font-weight: 600;
    color: var(--ink-2);
    padding: 0 0 0.4rem;
  }
  .modes {
    display: grid;
    justify-items: start;
    gap: 0.75rem;
  }
  fieldset {
    display: grid;
    gap: 0.55rem;
  }
  label {
    display: flex;
    gap: 0.6rem;
    font-size: 0.875rem;
    font-weight: 400;
    line-height: 1.45;
    color: var(--ink-2);
  }
  label b {
    font-weight: 600;
    color: var(--ink);
  }
  label i {
    font-style: normal;
    font-size: 0.75rem;
    font-weight: 600;
    color: var(--accent);
    background: var(--accent-soft);
    border-radius: 99px;
    padding: 0.05rem 0.45rem;
  }
  .sure {
    color: var(--danger);
    background: var(--danger-soft);
    border-radius: var(--r-control);
    padding: 0.6rem 0.75rem;
  }
  li {
    display: flex;
    align-items: start;
    gap: 0.75rem;
    padding: 0.75rem 0;
    border-top: 1px solid var(--line);
    scroll-margin: 5rem 0 1rem;
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
    gap: 0.3rem;
    font-size: 0.875rem;
    overflow-wrap: anywhere;
  }
  .title {
    font-weight: 600;
  }
  code {
    font: 500 0.8125rem/1.4 var(--mono);
    background: var(--sunken);
    border-radius: 4px;
    padding: 0.05rem 0.3rem;
    white-space: pre-wrap;
  }
  summary {
    cursor: pointer;
    width: max-content;
    color: var(--ink-2);
    border-radius: 4px;
  }
  .subtle {
    font-size: 0.8125rem;
    color: var(--ink-3);
  }
  p.subtle {
    line-height: 1.5;
  }
  .notice {
    font-size: 0.8125rem;
    color: var(--ink-2);
    min-height: 1.2em;
  }
  .failure {
    font-size: 0.875rem;
    color: var(--danger);
  }
`;
