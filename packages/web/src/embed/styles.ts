import { css, unsafeCSS } from 'lit';
import tokens from '../styles/tokens.css?inline';

/** Lets the page around override the design tokens: `--accent` takes the value of `--parley-accent`, or else our default. */
function exposeTokens(style: string): string {
  return style.replaceAll(/--([\w-]+):\s*([^;}]+)/g, '--$1:var(--parley-$1,$2)');
}

export const embedStyles = css`
  ${unsafeCSS(exposeTokens(tokens))}
  /* Inherits no text styles from the page around, but its visibility and its colour scheme. */
  :host {
    all: initial;
    color-scheme: inherit;
    visibility: inherit;
    box-sizing: border-box;
    display: grid;
    grid-template: auto minmax(0, 1fr) / minmax(0, 1fr);
    overflow: hidden;
    background: var(--canvas);
    color: var(--ink);
    font: 400 var(--text-body) var(--sans);
    text-align: start;
    -webkit-font-smoothing: antialiased;
  }
  :host([theme="light"]) {
    color-scheme: light;
  }
  :host([theme="dark"]) {
    color-scheme: dark;
  }
  :host(parley-session),
  :host(parley-inbox) {
    block-size: 36rem;
  }
  .room {
    display: grid;
    grid-template: minmax(0, 1fr) / minmax(0, 1fr);
    min-height: 0;
  }
  /* The server refused the connection: the content can be read, but not used. */
  .room[inert] {
    opacity: 0.6;
  }
`;
