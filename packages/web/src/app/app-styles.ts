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
    padding-top: calc(var(--s1) + var(--control) + var(--s3)); /* its field */
  }
  parley-inbox-page:not([issteady]) ~ parley-sessions {
    visibility: hidden;
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
  /* If text is so large that the parts no longer fit, the page scrolls as a whole. */
  @media (max-height: 24rem) {
    :host([place="session"]) main {
      grid-template-rows: auto auto minmax(20rem, 1fr);
      overflow-y: auto;
    }
  }
  /* If list and main view do not fit next to each other, the list is a page of its own, with the message box below it. */
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
    parley-session-view {
      padding-bottom: env(safe-area-inset-bottom);
    }
  }
  /* While an on-screen keyboard is open, only one text field fits: an answer in the list, or the message box. */
  @media (max-width: 48rem) and (max-height: 34rem) and (pointer: coarse) {
    :host([place="home"]) aside:focus-within + main > parley-start {
      display: none;
    }
  }
  @media (forced-colors: active) {
    .notice::before {
      forced-color-adjust: none;
      background: CanvasText;
    }
  }
`;
