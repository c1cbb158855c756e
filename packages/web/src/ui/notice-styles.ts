import { css } from 'lit';

/** Lines that report what happened, and offer what to do. */
export const noticeStyles = css`
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
  /* Appears late, so that a short interruption of the connection is not shown. */
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
`;
