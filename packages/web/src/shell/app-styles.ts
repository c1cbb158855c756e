import { css } from 'lit';

export const appStyles = css`
  :host {
    display: grid;
    grid-template: minmax(0, 1fr) / 17.5rem minmax(0, 1fr);
    height: 100dvh;
    overflow: hidden;
  }
  parley-help,
  parley-permissions {
    position: absolute;
  }
  parley-login {
    grid-column: 1 / -1;
  }
  .skip {
    position: absolute;
    z-index: 3;
    inset: 0.5rem auto auto 0.5rem;
  }
  .skip:not(:focus) {
    clip-path: inset(50%);
  }
  aside {
    border-right: 1px solid var(--line);
    background: var(--sunken);
    min-height: 0;
    display: grid;
    grid-template-rows: minmax(0, 1fr) auto;
  }
  .foot {
    display: flex;
    gap: 0.25rem;
    padding: 0.35rem 0.75rem;
    border-top: 1px solid var(--line);
  }
  main {
    display: grid;
    grid-template: auto auto minmax(0, 1fr) / minmax(0, 1fr);
    min-height: 0;
    min-width: 0;
  }
  .banner {
    display: flex;
    align-items: center;
    justify-content: center;
    gap: 0.75rem;
    flex-wrap: wrap;
    padding: 0.45rem 1rem;
    font-size: 0.875rem;
    background: var(--sunken);
    color: var(--amber);
    border-bottom: 1px solid var(--line);
  }
  .banner.failure {
    background: var(--surface);
  }
  .banner.bypass {
    background: var(--danger-soft);
    color: var(--danger);
    font-weight: 500;
  }
  .home {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    align-content: safe center;
    gap: 1.25rem;
    padding: 1.5rem max(1.25rem, 50% - 17.75rem) 12vh;
    overflow-y: auto;
  }
  .home h2 {
    font-size: 1.625rem;
    font-weight: 600;
    letter-spacing: -0.018em;
    line-height: 1.2;
    text-wrap: balance;
  }
  .home p {
    color: var(--ink-2);
    margin-top: 0.5rem;
  }
  .home label {
    display: inline-flex;
    align-items: center;
    gap: 0.6rem;
    font-size: 0.875rem;
    font-weight: 500;
    color: var(--ink-2);
  }
  .home select {
    width: auto;
  }
  .examples {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 0.5rem;
  }
  .examples button {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    justify-items: start;
    gap: 0.15rem;
    padding: 0.6rem 0.9rem;
    text-align: start;
  }
  .examples .untrusted {
    max-width: none;
    white-space: normal;
  }
  .examples code {
    color: var(--ink-2);
    font-size: 0.8125rem;
    font-weight: 400;
    overflow-wrap: anywhere;
  }
  .home > [role="status"] {
    justify-self: end;
    max-width: 85%;
    margin: 0;
    padding: 0.55rem 0.9rem;
    border: 1px dashed var(--line-strong);
    border-radius: 14px;
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }
  .failure {
    color: var(--danger);
  }
  .scrim {
    display: none;
  }
  @media (max-width: 52rem) {
    :host {
      grid-template-columns: minmax(0, 1fr);
    }
    aside {
      position: fixed;
      inset: 0 auto 0 0;
      z-index: 2;
      width: min(19rem, 86vw);
      visibility: hidden;
      translate: -100% 0;
      transition: translate 160ms ease-out, visibility 160ms;
      box-shadow: var(--shadow);
    }
    aside.open {
      visibility: visible;
      translate: 0 0;
    }
    .scrim {
      display: block;
      position: fixed;
      inset: 0;
      z-index: 1;
      background: rgb(10 10 10 / 40%);
    }
  }
`;
