import { css } from 'lit';

export const transcriptStyles = css`
  :host {
    position: relative;
    min-height: 0;
    display: grid;
    grid-template: minmax(0, 1fr) auto / minmax(0, 1fr);
  }
  .scroll {
    position: relative;
    overflow-y: auto;
    overscroll-behavior: contain;
    scrollbar-gutter: stable both-edges;
  }
  .scroll:focus-visible {
    outline-offset: -3px;
  }
  .column {
    max-width: var(--column);
    margin-inline: auto;
    padding: 1.5rem 1.25rem 1.75rem;
    display: flex;
    flex-direction: column;
    gap: 1.15rem;
    min-height: 100%;
  }
  .row {
    content-visibility: auto;
    contain-intrinsic-block-size: auto 4.5rem;
    /* Room for shadows and focus rings, which containment would clip. */
    margin: -0.5rem -0.75rem;
    padding: 0.5rem 0.75rem;
  }
  .streams:empty {
    display: none;
  }
  .message {
    display: grid;
    justify-items: end;
    gap: 0.2rem;
  }
  .bubble {
    background: var(--accent-soft);
    border-radius: 14px 14px 4px 14px;
    padding: 0.55rem 0.9rem;
    max-width: min(85%, 36rem);
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }
  .meta {
    font-size: 0.75rem;
    color: var(--ink-3);
    padding-right: 0.25rem;
  }
  .note {
    font-size: 0.8125rem;
    color: var(--ink-3);
    text-align: center;
  }
  .trouble {
    font-size: 0.875rem;
    color: var(--danger);
    background: var(--danger-soft);
    border-radius: var(--r-control);
    padding: 0.5rem 0.8rem;
    overflow-wrap: anywhere;
  }
  .thinking {
    font-size: 0.875rem;
    color: var(--ink-3);
  }
  .thinking summary {
    cursor: pointer;
    width: max-content;
    border-radius: 4px;
  }
  .thinking p {
    white-space: pre-wrap;
    overflow-wrap: anywhere;
    border-left: 2px solid var(--line);
    padding-left: 0.85rem;
    margin-top: 0.4rem;
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
  /* Below the scrolling part, where it covers no button. */
  .latest {
    justify-self: center;
    margin-block: 0.4rem;
    border-radius: 99px;
  }
  .empty {
    margin: auto;
    text-align: center;
    color: var(--ink-2);
    max-width: 26rem;
  }
  .empty h2 {
    font-size: 1.25rem;
    font-weight: 600;
    color: var(--ink);
    margin-bottom: 0.35rem;
  }
`;
