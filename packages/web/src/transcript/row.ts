import type { SentAnswer, Stream } from '@parleyhq/client';
import { hiddenWords } from '@parleyhq/core';
import { html, nothing } from 'lit';
import { guard } from 'lit/directives/guard.js';
import { findSent } from '../prompt/chain.ts';
import type { Viewer } from '../prompt/interaction-card.ts';
import { renderRowActions } from './row-actions.ts';
import { isNews } from './row-news.ts';
import { renderItem } from './row-view.ts';
import type { Row } from './rows.ts';

/** What the rows of a conversation share. */
export interface RowRoom {
  readonly viewer: Viewer;
  /** Answers that are on their way or were refused, by prompt. */
  readonly answers: ReadonlyMap<string, SentAnswer>;
  /** What is being written or printed. */
  readonly streams: readonly Stream[];
  /** Where links of the page begin. */
  readonly home: string;
}

interface RowState {
  /** Somebody was led to it. */
  readonly isFound: boolean;
  /** It was there before, and is no news to who listens. */
  readonly isTold: boolean;
  /** What can be done with its words comes once there is time for it. */
  readonly hasActions: boolean;
}

/** A row of the conversation. While nothing that it shows changes, it is not drawn again. */
export function renderRow(row: Row, room: RowRoom, { isFound, isTold, hasActions }: RowState) {
  const { viewer, answers, home } = room;
  const output = row.kind === 'tool' ? findOutput(room, row.item.key) : undefined;
  const seen = row.kind === 'item' ? [row.item, viewer, hasActions] : [row, viewer, answers, output];
  return html`<div class="row ${row.kind} ${isFound ? 'found' : ''}" data-seq=${row.seq} aria-live=${!isTold && isNews(row, viewer) ? nothing : 'off'}>${guard(
    seen,
    () => [
      renderContent(row, room, output),
      hasActions ? renderRowActions(row, viewer.sessionId, viewer, home) : nothing,
    ],
  )}</div>`;
}

function renderContent(row: Row, { viewer, answers }: RowRoom, output: Stream | undefined) {
  switch (row.kind) {
    case 'item':
      return renderItem(row.item, viewer);
    case 'tool':
      if (row.item.isHidden) return html`<p class="note">${hiddenWords.call}</p>`;
      return html`<parley-tool
        exportparts="card"
        .item=${row.item}
        .chains=${row.chains}
        .viewer=${viewer}
        .answers=${answers}
        .output=${output}
      ></parley-tool>`;
    case 'prompt':
      return html`<parley-card
        part="card"
        id=${row.chain.current.interactionId}
        .chain=${row.chain}
        .viewer=${viewer}
        .sent=${findSent(answers, row.chain)}
      ></parley-card>`;
    default:
      return row satisfies never;
  }
}

const findOutput = ({ streams }: RowRoom, key: string): Stream | undefined =>
  streams.find(({ kind, toolCallId }) => kind === 'tool_output' && `tool:${toolCallId}` === key);
