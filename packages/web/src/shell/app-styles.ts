import { css } from 'lit';

export const appStyles = css`
  :host {
    --side: 16.5rem;
    display: grid;
    grid-template: minmax(0, 1fr) / var(--side) minmax(0, 1fr);
    height: 100dvh;
    overflow: hidden;
  }
  parley-login {
    grid-column: 1 / -1;
  }
  .skip {
    position: absolute;
    z-index: 3;
    inset: var(--s2) auto auto var(--s2);
  }
  .skip:not(:focus) {
    clip-path: inset(50%);
  }
  aside {
    display: grid;
    grid-template-rows: auto minmax(0, 1fr);
    min-height: 0;
    min-width: 0;
    border-right: 1px solid var(--line);
    background: var(--sunken);
  }
  parley-search:not(:defined) {
    display: grid;
    min-height: 0;
  }
  .brand {
    display: flex;
    align-items: center;
    gap: var(--s1);
    height: 3rem;
    padding-inline: var(--s4) var(--s2);
  }
  .mark {
    display: flex;
    align-items: center;
    gap: var(--s2);
    margin-right: auto;
    border-radius: 4px;
    font: 600 var(--text-body) var(--sans);
    letter-spacing: -0.01em;
    color: var(--ink);
    text-decoration: none;
  }
  parley-account {
    min-width: var(--control);
  }
  .mark img {
    display: block;
  }
  main {
    display: grid;
    grid-template: auto auto minmax(0, 1fr) / minmax(0, 1fr);
    min-height: 0;
    min-width: 0;
  }
  .notice {
    display: flex;
    align-items: center;
    gap: var(--s2);
    min-height: 2.5rem;
    padding: var(--s1) var(--s2) var(--s1) var(--s4);
    border-bottom: 1px solid var(--line);
    font: 400 var(--text-secondary) var(--sans);
    color: var(--ink-2);
  }
  .notice span {
    flex: 1;
  }
  .notice::before {
    content: "";
    flex: none;
    width: 0.375rem;
    height: 0.375rem;
    border-radius: 50%;
    background: var(--amber);
  }
  .notice.failure,
  .notice.bypass {
    color: var(--danger);
  }
  .notice.failure::before,
  .notice.bypass::before {
    background: var(--danger);
  }
  .notice button.plain {
    color: var(--accent);
  }
  .notice button:not(.icon) {
    min-height: 1.75rem;
  }
  @media (pointer: coarse) {
    .notice button:not(.icon) {
      min-height: var(--control);
    }
  }
  /* A server that is back at once was never away. */
  .notice.late {
    overflow: hidden;
    animation: unfold 150ms 300ms backwards;
  }
  @keyframes unfold {
    from {
      min-height: 0;
      max-height: 0;
      padding-block: 0;
      border-width: 0;
      opacity: 0;
    }
    to {
      max-height: 6rem;
    }
  }
  /* Where two rooms have no place beside each other, the list is a page of its own, with the message box below it. */
  @media (max-width: 48rem) {
    :host {
      grid-template: minmax(0, 1fr) auto / minmax(0, 1fr);
      padding-inline: env(safe-area-inset-left) env(safe-area-inset-right);
    }
    aside {
      border-right: 0;
      background: none;
    }
    :host([place="session"]) {
      grid-template-rows: minmax(0, 1fr);
    }
    :host([place="session"]) aside,
    :host(:not([place="session"])) parley-top-bar,
    :host([place="first"]) parley-search {
      display: none;
    }
    :host([place="first"]) {
      grid-template-rows: auto minmax(0, 1fr);
    }
    :host([place="first"]) aside {
      grid-template-rows: auto;
    }
    parley-session {
      padding-bottom: env(safe-area-inset-bottom);
    }
  }
  @media (forced-colors: active) {
    .notice::before {
      forced-color-adjust: none;
      background: CanvasText;
    }
  }
`;
