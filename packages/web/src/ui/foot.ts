import { css } from 'lit';

/** The lower edge of a card, with its buttons. It stays in view as long as any of the card does (SEC5), where there is room. */
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
  /* The subject comes first where there is no room for both (WEB7); a sheet has room. */
  @media (max-height: 45rem) {
    .foot {
      position: var(--foot, static);
    }
  }
`;
