import { css } from 'lit';

export const sessionViewStyles = css`
  :host {
    display: grid;
    grid-template: minmax(0, 1fr) auto / minmax(0, 1fr);
    min-height: 0;
  }
  .dock {
    display: grid;
    grid-template-columns: minmax(0, var(--column));
    justify-content: center;
    gap: 0.6rem;
    padding: 0 var(--edge) var(--s2);
    max-height: max(60dvh, 12rem); /* keeps the whole message box above any keyboard */
    position: relative; /* contains what is only announced: it would lengthen the page */
    overflow-y: auto;
    scroll-padding-bottom: 5rem; /* keeps the buttons of a form in view */
    scrollbar-gutter: stable both-edges; /* aligns its edges with the transcript's */
  }
  /* Where docked prompts leave little room, the buttons in view matter more than the question above them. */
  parley-transcript:has(~ .dock > .docked) {
    --rise: 0px;
  }
  .docked {
    padding-top: 0.25rem;
  }
  .status {
    font-size: 0.75rem;
    color: var(--ink-3);
    min-height: 1.2em;
    padding-left: 0.75rem;
  }
  .dock > [role="status"]:has(small) {
    justify-self: end;
    max-width: 85%;
    margin: 0;
    padding: 0.55rem 0.9rem;
    border: 1px dashed var(--line-strong);
    border-radius: 14px;
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }
  .dock > [role="status"] small {
    display: block;
    color: var(--ink-2);
  }
  .failure {
    color: var(--danger);
    font-size: 0.875rem;
  }
  @media (max-width: 30rem) {
    .dock {
      max-height: max(50dvh, 12rem);
    }
  }
  /* The only question, if docked, gets the height that it needs, and the message box stays whole below it. */
  @media (min-height: 37.5rem) {
    .dock.alone:has(.docked) {
      max-height: 85dvh;
    }
    .dock.alone:has(.docked) parley-composer {
      position: sticky;
      bottom: 0;
      z-index: 1;
      background: var(--canvas);
    }
  }
  /* On low screens the box has one line, and its status is only announced. */
  @media (max-height: 37.5rem) {
    .dock {
      gap: var(--s1);
      padding-bottom: var(--s1);
    }
    .status {
      position: absolute;
      clip-path: inset(50%);
    }
  }
  /* While an on-screen keyboard is open, only one text field fits. */
  @media (max-height: 34rem) and (pointer: coarse) {
    :host([is-filling]) parley-composer {
      display: none;
    }
  }
`;
