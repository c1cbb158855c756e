import type { SessionId } from '@parleyhq/core';
import { html, nothing } from 'lit';
import { renderCopy } from '../ui/copy.ts';
import { icons } from '../ui/icons.ts';
import { linkTo } from './message-link.ts';
import type { Row } from './rows.ts';

/** What can be done with somebody's words: shown to whoever points at them or comes by with the keyboard. */
export function renderRowActions(row: Row, sessionId: SessionId, home: string) {
  const words = wordsOf(row);
  if (words === undefined) return nothing;
  return html`<div class="actions" role="group" aria-label="This message">
    ${renderCopy('Copy this message', () => words)}
    ${renderCopy('Copy the link to this message', () => linkTo(home, sessionId, row.seq), icons.link)}
  </div>`;
}

/** The text of a row that is somebody's words, as it may be copied; undefined for all others. */
function wordsOf(row: Row): string | undefined {
  if (row.kind !== 'item') return undefined;
  if (row.item.kind === 'message') return row.item.sent?.payload.text;
  return row.item.kind === 'text' ? row.item.text.payload.text : undefined;
}
