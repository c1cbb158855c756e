import type { SentAnswer, Stream } from '@parleyhq/client';
import { hiddenWords } from '@parleyhq/core';
import { html, nothing } from 'lit';
import { guard } from 'lit/directives/guard.js';
import { findSent } from '../prompt/chain.ts';
import type { Viewer } from '../prompt/viewer.ts';
import { isNews } from './announced-row.ts';
import { renderRowActions } from './row-actions.ts';
import { renderItem } from './row-view.ts';
import type { Row } from './rows.ts';

/** What all rows of a conversation share. */
export interface RowContext {
  readonly viewer: Viewer;
  /** Answers that are being sent or were refused, by prompt. */
  readonly answers: ReadonlyMap<string, SentAnswer>;
  /** What is being written or printed. */
  readonly streams: readonly Stream[];
  /** Origin of the page that links lead to. */
  readonly home: string;
}

interface RowState {
  /** Whether a search or link led to the row. */
  readonly isFound: boolean;
  /** Whether the row is old, so that screen readers do not announce it. */
  readonly isOld: boolean;
  /** Whether the actions for the row's message are rendered: they wait until the page has time. */
  readonly hasActions: boolean;
}

/** Renders a row of the conversation, again only when something that it shows has changed. */
export function renderRow(row: Row, context: RowContext, { isFound, isOld, hasActions }: RowState) {
  const { viewer, answers, home } = context;
  const output = row.kind === 'tool' ? findOutput(context, row.item.key) : undefined;
  const seen = row.kind === 'item' ? [row.item, viewer, hasActions] : [row, viewer, answers, output];
  return html`<div class="row ${row.kind} ${isFound ? 'found' : ''}" data-seq=${row.seq} aria-live=${!isOld && isNews(row, viewer) ? nothing : 'off'}>${guard(
    seen,
    () => [
      renderContent(row, context, output),
      hasActions ? renderRowActions(row, viewer.sessionId, viewer, home) : nothing,
    ],
  )}</div>`;
}

function renderContent(row: Row, { viewer, answers }: RowContext, output: Stream | undefined) {
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
        .tool=${row.tool}
      ></parley-card>`;
    default:
      return row satisfies never;
  }
}

const findOutput = ({ streams }: RowContext, key: string): Stream | undefined =>
  streams.find(({ kind, toolCallId }) => kind === 'tool_output' && `tool:${toolCallId}` === key);
