import { css } from 'lit';

export const cardStyles = css`
  /* The frame: a line at the top, which shows who asks for what, and one at the bottom with the buttons. Both belong to the page
     and span the card; content of tools stays between them and cannot imitate them (SEC5). */
  .card {
    --pad: var(--s4);
    display: flex; /* in a grid the foot would stick only within its row */
    flex-direction: column;
    gap: var(--s3);
    background: var(--surface);
    border: 1px solid var(--line);
    border-radius: var(--r-card);
    padding: var(--s2) var(--pad) 0;
    box-shadow: var(--shadow);
    overflow: clip;
    overflow-wrap: anywhere;
  }
  .card.watched {
    padding-bottom: var(--s4); /* no foot */
  }
  header {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0 var(--s3);
    min-height: var(--control);
    margin-inline-end: calc(-1 * var(--s2));
    margin-bottom: calc(-1 * var(--s2));
    font: 400 var(--text-meta) var(--sans);
    color: var(--ink-2);
  }
  .tools {
    display: flex;
  }
  .tools .icon {
    color: var(--ink-3);
    font-size: 1rem;
  }
  .asked {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: var(--s1);
    max-height: min(40vh, 24rem);
    overflow: auto;
  }
  .end {
    position: relative; /* above the text that it ends */
    display: block;
    height: 0.25rem;
    margin-top: -0.25rem;
  }
  parley-view + .end {
    margin-top: 0; /* otherwise a frame would cover it */
  }
  /* Takes back the upper margin of the buttons, and the gap. */
  .rise {
    margin-bottom: calc(-1 * var(--rise, 10rem) - var(--s3));
  }
  @media (hover: hover) {
    .card:focus-within {
      --digits: inline;
    }
  }
  .card:has(h2:focus) {
    outline: 2px solid var(--accent);
    outline-offset: 2px;
  }
  h2:focus {
    outline: none;
  }
  .eyebrow {
    flex: 1 1 9rem;
    min-width: 0;
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0 var(--s2);
  }
  /* Shows the state as a colour; the buttons or the note show it as text. */
  .dot {
    flex: none;
    width: 0.5rem;
    height: 0.5rem;
    border-radius: 99px;
    background: var(--amber);
  }
  .off .dot,
  .expired .dot {
    background: var(--ink-3);
  }
  parley-team-notes {
    display: contents;
  }
  .eyebrow b {
    font-weight: 500;
    color: var(--ink);
  }
  .eyebrow code {
    font: 500 0.75rem/1rem var(--mono);
    color: var(--ink);
  }
  .eyebrow > span::before {
    content: "· " / "";
  }
  .eyebrow > :is(b, code, span) {
    max-width: 100%;
  }
  .eyebrow .untrusted {
    display: inline-block;
    max-width: 100%;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
    vertical-align: bottom;
  }
  .origin {
    display: flex;
    gap: var(--s1);
  }
  h2 {
    font: var(--text-question) var(--sans);
    white-space: pre-wrap;
  }
  .prompt {
    white-space: pre-wrap;
    color: var(--ink-2);
  }
  .risk {
    font-weight: 500;
    white-space: nowrap;
    color: var(--ink-2);
  }
  .risk.high {
    color: var(--danger);
  }
  .note,
  .failure {
    font: 400 var(--text-secondary) var(--sans);
    color: var(--ink-2);
  }
  .failure {
    max-height: 6rem;
    overflow: auto;
  }
  .failure strong {
    font-weight: 600;
    color: var(--danger);
  }
  .steps {
    display: grid;
    gap: var(--s1);
    font: 400 var(--text-secondary) var(--sans);
    color: var(--ink-2);
  }
  .url {
    font: 400 var(--text-meta) var(--mono);
    background: var(--sunken);
    border-radius: var(--r-control);
    padding: var(--s2);
    color: var(--ink-2);
    overflow-wrap: anywhere;
  }
  .url b {
    font-weight: 500;
    color: var(--ink);
    background: var(--accent-soft);
    border-radius: 3px;
    padding-inline: 0.1em;
  }
  .card:has([editing], [commenting]) parley-subject {
    display: none;
  }
  .card.new {
    animation: fade 160ms ease-out !important; /* even with reduced motion: nothing moves */
  }
  @keyframes fade {
    from {
      opacity: 0;
    }
  }
  @media (max-width: 30rem) {
    .card {
      --pad: var(--s3);
    }
    /* Who asks, and below it the risk and the time. */
    header {
      display: grid;
      grid-template-columns: auto auto 1fr auto;
    }
    .eyebrow {
      grid-column: 1 / 4;
    }
    .tools {
      grid-area: 1 / 4;
    }
    .risk {
      grid-row: 2;
    }
    parley-countdown {
      grid-row: 2;
      grid-column-end: 5;
    }
    .eyebrow + parley-countdown {
      margin-inline-start: calc(-1 * var(--s2));
    }
    .card.out {
      --pad: var(--s4);
      --safe: env(safe-area-inset-bottom);
      border: 0;
      border-radius: 0;
      box-shadow: none;
      padding-top: 0;
    }
  }
  @media (max-width: 30rem) and (min-height: 26rem) {
    .card.out {
      --foot: sticky;
    }
  }
  @media (forced-colors: active) {
    .dot {
      forced-color-adjust: none;
      background: Highlight;
    }
    .off .dot,
    .expired .dot {
      background: GrayText;
    }
  }
`;
