import { css } from 'lit';

export const statisticsStyles = css`
  dialog {
    width: min(60rem, calc(100vw - 2rem));
    max-width: min(60rem, calc(100vw - 2rem));
    max-height: min(48rem, calc(100dvh - 2rem));
    overflow-y: auto;
  }
  dialog > * + * {
    margin-top: var(--s4);
  }
  dialog > .top {
    margin-top: 0;
    display: flex;
    align-items: center;
    justify-content: space-between;
    gap: var(--s4);
  }
  .choices {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: var(--s2);
  }
  select {
    width: auto;
    font: 400 var(--text-secondary) var(--sans);
  }
  @media (pointer: coarse) {
    select {
      font-size: 1rem; /* iOS zooms into less */
    }
  }
  .choices button {
    max-width: 100%;
    overflow-wrap: anywhere;
  }
  .result {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: var(--s3);
    min-height: 6rem; /* the dialog keeps its place while it counts */
    align-content: start;
  }
  .scroll {
    overflow-x: auto;
    border-block: 1px solid var(--line);
  }
  table {
    width: 100%;
    border-collapse: collapse;
    font: 400 var(--text-secondary) var(--sans);
    color: var(--ink);
  }
  th,
  td {
    padding: var(--s2);
    text-align: start;
    vertical-align: baseline;
    font-weight: 400;
  }
  thead th {
    font: 500 var(--text-meta) var(--sans);
    color: var(--ink-3);
    vertical-align: bottom;
  }
  tbody tr,
  tfoot tr {
    border-top: 1px solid var(--line);
  }
  tfoot {
    font-weight: 500;
  }
  tfoot th {
    font-weight: 500;
  }
  .number {
    text-align: end;
    white-space: nowrap;
    font-variant-numeric: tabular-nums;
  }
  .zero {
    color: var(--ink-3);
  }
  tr > :first-child {
    position: sticky;
    inset-inline-start: 0;
    padding-inline-start: 0;
    width: 100%;
    min-width: 9rem;
    background: var(--surface);
    overflow-wrap: anywhere;
  }
  button.name {
    display: inline;
    min-height: 0;
    padding: 0;
    border: 0;
    background: none;
    font: inherit;
    color: var(--accent);
    text-align: start;
  }
  button.name:hover {
    text-decoration: underline;
  }
  @media (pointer: coarse) {
    button.name {
      min-height: var(--control);
    }
  }
  svg {
    display: block;
    width: 100%;
    height: 6px;
    margin-top: var(--s1);
    stroke: none;
  }
  .asked {
    fill: var(--accent);
    background: var(--accent);
  }
  .unread {
    fill: var(--amber);
    background: var(--amber);
  }
  .legend {
    display: flex;
    align-items: center;
    gap: var(--s2);
    color: var(--ink-3);
    font: 400 var(--text-meta) var(--sans);
  }
  .legend i {
    width: 1rem;
    height: 6px;
    border-radius: 2px;
  }
  .unseen,
  .said {
    position: absolute;
    width: 1px;
    height: 1px;
    margin: 0;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  @media (forced-colors: active) {
    svg,
    .legend i {
      forced-color-adjust: none;
    }
  }
`;
