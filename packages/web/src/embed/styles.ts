import { css, unsafeCSS } from 'lit';
import tokens from '../styles/tokens.css?inline';

/** The design tokens with a name for the page around: `--accent` is what it says in `--parley-accent`, or else ours. */
function exposeTokens(style: string): string {
  return style.replaceAll(/--([\w-]+):\s*([^;}]+)/g, '--$1:var(--parley-$1,$2)');
}

export const embedStyles = css`
  ${unsafeCSS(exposeTokens(tokens))}
  /* What the page around gives to its text is not for ours; whether it is seen, and in which scheme, is. */
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
  /* Nobody is let in any more: what is there can be seen, and not pressed. */
  .room[inert] {
    opacity: 0.6;
  }
`;
