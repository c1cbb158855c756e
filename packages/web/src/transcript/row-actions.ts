import { nameOf, type SessionId } from '@parleyhq/core';
import { html, nothing } from 'lit';
import { isSelf, type Self } from '../ui/actor.ts';
import { renderCopy } from '../ui/copy.ts';
import { icon } from '../ui/icons.ts';
import { linkTo } from './message-link.ts';
import type { Row } from './rows.ts';

const linkIcon = icon('M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1');

/** How many characters identify a message in a label. */
const mostNamed = 60;

/** Renders the actions for a message, which appear on hover and on keyboard focus. */
export function renderRowActions(row: Row, sessionId: SessionId, self: Self, home: string) {
  const said = findWords(row, self);
  if (said === undefined) return nothing;
  const name = `what ${said.by} said: ${shorten(said.words)}`;
  return html`<div class="actions" role="group" aria-label="This message">
    ${renderCopy(`Copy ${name}`, () => said.words, { title: 'Copy this message' })}
    ${renderCopy(`Copy the link to ${name}`, () => linkTo(home, sessionId, row.seq), { title: 'Copy the link to this message', icon: linkIcon })}
  </div>`;
}

/** Returns the text of a message for copying, and who wrote it; undefined for other rows. */
function findWords(row: Row, self: Self): { readonly by: string; readonly words: string } | undefined {
  if (row.kind !== 'item') return undefined;
  if (row.item.kind === 'text') return { by: 'the agent', words: row.item.text.payload.text };
  if (row.item.kind !== 'message' || !row.item.sent) return undefined;
  const { text, from } = row.item.sent.payload;
  return { by: from && !isSelf(from, self) ? nameOf(from) : 'you', words: text };
}

/** Shortens a text to one line without Markdown characters. */
function shorten(words: string): string {
  const line = words
    .slice(0, 4 * mostNamed)
    .replace(/[*`#>~]+|(?<!\w)_+|_+(?!\w)/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  return line.length > mostNamed ? `${line.slice(0, mostNamed).trimEnd()} …` : line;
}
