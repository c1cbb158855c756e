import { css } from 'lit';

export const transcriptStyles = css`
  :host {
    position: relative;
    min-height: 0;
    display: grid;
    grid-template: auto minmax(0, 1fr) auto / minmax(0, 1fr);
  }
  .scroll {
    grid-row: 2;
    position: relative;
    overflow-y: auto;
    overscroll-behavior: contain;
    scrollbar-gutter: stable both-edges;
    scroll-padding-block: var(--s4) 5rem; /* sticky buttons of a form do not cover the focus */
  }
  .scroll:focus-visible {
    outline-offset: -3px;
  }
  .column {
    max-width: calc(var(--column) + 2 * var(--edge));
    margin-inline: auto;
    padding: var(--s5) var(--edge);
    display: flex;
    flex-direction: column;
    gap: var(--s4);
    min-height: 100%;
  }
  .row {
    content-visibility: auto;
    contain-intrinsic-block-size: auto 4.5rem;
    /* Space for shadows and focus rings, which containment would clip. */
    margin: calc(-1 * var(--s2)) calc(-1 * var(--s3));
    padding: var(--s2) var(--s3);
    overflow-clip-margin: var(--s2);
    position: relative;
    border-radius: var(--r-control);
  }
  /* Consecutive calls are close to each other. */
  .row.tool + .row.tool {
    margin-block-start: calc(-1 * var(--s2) - var(--s3));
  }
  .row.found {
    background: var(--accent-soft);
  }
  .actions {
    position: absolute;
    inset-block-start: 2px;
    inset-inline-end: var(--s3);
    display: flex;
    background: var(--surface);
    border: 1px solid var(--line);
    border-radius: var(--r-control);
    opacity: 0;
    pointer-events: none;
    transition: opacity 120ms;
  }
  .actions:has(:focus-visible) {
    opacity: 1;
    pointer-events: auto;
  }
  @media (hover: hover) {
    .row:hover > .actions,
    .row:focus-within > .actions {
      opacity: 1;
      pointer-events: auto;
    }
  }
  /* Touch screens have no hover: the tapped message shows its actions below its text, not over it. */
  .row[data-tapped] > .actions {
    position: static;
    width: fit-content;
    margin-block-start: var(--s2);
    opacity: 1;
    pointer-events: auto;
  }
  /* Screen readers announce the author, but copying leaves the name out. */
  h2 {
    font: var(--text-secondary) var(--sans);
    user-select: none;
  }
  .streams:empty {
    display: none;
  }
  .message {
    display: grid;
    justify-items: end;
    gap: var(--s1);
  }
  .message.theirs {
    justify-items: start;
  }
  .author {
    display: flex;
    align-items: center;
    gap: var(--s2);
    font-weight: 500;
  }
  .author i {
    display: grid;
    place-items: center;
    width: 1.25rem;
    height: 1.25rem;
    border-radius: 50%;
    background: var(--accent-soft);
    color: var(--accent);
    font: 600 var(--text-meta) var(--sans);
  }
  .bubble {
    background: var(--hover);
    border-radius: var(--r-card);
    padding: var(--s2) var(--s3);
    max-width: min(85%, 36rem);
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }
  .message + .actions {
    inset-block: auto 2px;
    inset-inline: var(--s3) auto;
  }
  .row[data-tapped] > .message + .actions {
    margin-inline-start: auto;
  }
  .meta {
    font: var(--text-meta) var(--sans);
    color: var(--ink-3);
  }
  .note,
  .thinking,
  .trouble {
    font: var(--text-secondary) var(--sans);
    color: var(--ink-3);
  }
  .trouble {
    color: var(--danger);
    overflow-wrap: anywhere;
  }
  .thinking p {
    white-space: pre-wrap;
    overflow-wrap: anywhere;
    border-inline-start: 1px solid var(--line-strong);
    padding-inline-start: var(--s3);
    margin-block-start: var(--s2);
    color: var(--ink-2);
  }
  .earlier {
    align-self: center;
  }
  .typing {
    display: flex;
    gap: 0.3rem;
    padding: 0.3rem 0;
  }
  .typing i {
    width: 0.4rem;
    height: 0.4rem;
    border-radius: 99px;
    background: var(--ink-3);
    animation: breathe 1.2s infinite ease-in-out;
  }
  @media (forced-colors: active) {
    .bubble {
      border: 1px solid CanvasText;
    }
    .typing i {
      forced-color-adjust: none;
      background: CanvasText;
    }
  }
  .typing i:nth-child(2) {
    animation-delay: 0.15s;
  }
  .typing i:nth-child(3) {
    animation-delay: 0.3s;
  }
  @keyframes breathe {
    50% {
      opacity: 0.25;
    }
  }
  /* Below the scrolling part, so that it covers no buttons. */
  .latest {
    grid-row: 3;
    justify-self: center;
    margin-block: var(--s2);
    border-radius: 99px;
  }
  .empty {
    margin: auto;
    text-align: center;
    color: var(--ink-2);
    max-width: 26rem;
  }
  .empty h2 {
    font: 600 1.0625rem/1.5rem var(--sans);
    color: var(--ink);
    margin-block-end: var(--s1);
  }
`;
