import { css } from 'lit';

/**
 * The lower edge of a card, with its buttons. If there is space, it stays in view as long as any part of the card does (SEC5).
 */
export const foot = css`
  .foot {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: var(--s3);
    position: sticky;
    bottom: 0;
    z-index: 1;
    margin-inline: calc(-1 * var(--pad));
    padding: var(--s3) var(--pad) max(var(--s3), var(--safe, 0px));
    background: var(--surface);
    border-top: 1px solid var(--line);
  }
  /* On low screens the subject is more important than visible buttons (WEB7); a sheet has space for both. */
  @media (max-height: 45rem) {
    .foot {
      position: var(--foot, static);
    }
  }
`;
