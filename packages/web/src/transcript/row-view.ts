import {
  type Actor,
  hiddenWords,
  type Item,
  type MessageItem,
  nameOf,
  ownerOf,
  type Payload,
  personOf,
  type SessionId,
  showHidden,
} from '@parleyhq/core';
import { html, nothing, type TemplateResult } from 'lit';
import { nameMode } from '../browser/modes.ts';
import { renderFiles } from '../form/render-files.ts';
import { isSelf, mayBeHere, renderDevice, type Self } from '../ui/actor.ts';
import { formatTime } from '../ui/time.ts';
import type { Row } from './rows.ts';
import { describeUsage } from './usage.ts';
import '../ui/markdown-text.ts';
import { renderUntrusted } from '../ui/untrusted-text.ts';

/** Whoever reads the conversation. */
type Reader = Self & { readonly sessionId: SessionId };

/** Renders every row except tools and prompts, which are elements of their own. */
export function renderItem(
  item: Extract<Row, { kind: 'item' }>['item'],
  self: Reader,
): TemplateResult | typeof nothing {
  switch (item.kind) {
    case 'message':
      return renderMessage(item, self);
    case 'text':
      return html`${renderSpeaker('The agent')}<parley-markdown .text=${item.text.payload.text}></parley-markdown>
        ${item.text.payload.interrupted ? html`<p class="note">Interrupted here.</p>` : nothing}`;
    case 'thinking':
      return renderThinking(item.thinking.payload.text, false);
    case 'turn':
      return renderTurn(item.end?.payload);
    case 'change':
      return html`<p class="note">${describeChange(item)}</p>`;
    case 'error':
      return html`<p class="trouble">${renderUntrusted(item.error.payload.message)}</p>`;
    case 'opaque':
      return html`<parley-opaque label="An event from a newer version: " of=${item.event.type} .value=${item.event}></parley-opaque>`;
    default:
      return item satisfies never;
  }
}

function renderMessage({ sent, timestamp, hidden }: MessageItem, self: Reader) {
  if (hidden) return html`<p class="note">${hiddenWords.message}</p>`;
  if (!sent) return nothing;
  const { messageId, text, files = [], from, origin, editedBy = [] } = sent.payload;
  const isTheirs = from !== undefined && personOf(from) !== ownerOf(self.principal);
  const sender = from && (isTheirs ? renderDevice(from) : renderSender(from, self));
  const parts = [
    ...(origin === 'interaction' ? ['late answer'] : []),
    ...(sender ? [sender] : []),
    ...editedBy.map((editor) => html`changed by ${isSelf(editor, self) ? 'you' : renderUntrusted(nameOf(editor))}`),
  ];
  return html`<div class="message ${isTheirs ? 'theirs' : ''}">
    ${isTheirs ? renderSpeaker(renderUntrusted(nameOf(from)), [...nameOf(from)][0]) : renderSpeaker('You')}
    ${text ? html`<p class="bubble untrusted">${showHidden(text)}</p>` : nothing}
    ${files.length > 0 ? html`<div class="bubble">${renderFiles(files, `/api/sessions/${self.sessionId}/messages/${encodeURIComponent(messageId)}/files`)}</div>` : nothing}
    <p class="meta">
      ${parts.map((part) => html`${part} · `)}<time datetime=${timestamp}>${formatTime(timestamp)}</time>
    </p>
  </div>`;
}

/**
 * Renders who wrote a message: as a heading, because screen readers jump from heading to heading.
 * @param initial - of the name; without it only screen readers get the heading, because others see on which side the message is
 */
const renderSpeaker = (who: unknown, initial?: string): TemplateResult =>
  html`<h2 class=${initial ? 'author' : 'visually-hidden'}>${initial && html`<i aria-hidden="true">${showHidden(initial)}</i>`}${who}${initial ? html`<span class="visually-hidden"> said</span>` : ' said'}</h2>`;

/** Renders from which other device or tab this person wrote. */
function renderSender(from: Actor, self: Self) {
  if (isSelf(from, self)) return undefined;
  const device = renderDevice(from);
  return mayBeHere(from, self)
    ? html`from another device or tab (${device})`
    : html`from ${device ?? 'another device'}`;
}

/** Renders the model's reasoning, collapsed. */
export function renderThinking(text: string, isStreaming: boolean): TemplateResult {
  return html`<details class="thinking">
    <summary>${isStreaming ? 'Thinking …' : 'Reasoning'}</summary>
    <p class="untrusted">${showHidden(text)}</p>
  </details>`;
}

function renderTurn(end: Payload<'turn_end'> | undefined) {
  if (!end) return nothing;
  const cost = describeUsage(end.usage);
  return html`${renderStatus(end)}${cost ? html`<p class="note">${cost}</p>` : nothing}`;
}

function renderStatus({ status, error }: Payload<'turn_end'>) {
  switch (status) {
    case 'completed':
      return nothing;
    case 'cancelled':
      return html`<p class="note">Stopped.</p>`;
    case 'error':
      return html`<p class="trouble">
        The turn failed: ${error ? html`${renderUntrusted(error.message)} (${renderUntrusted(error.code)})` : 'no reason given'}
      </p>`;
    default:
      return status satisfies never;
  }
}

function describeChange({ change }: Extract<Item, { kind: 'change' }>) {
  const { title, agent, permissionMode, pinned, archived, rule } = change.payload;
  const parts = [
    title === undefined ? [] : [html`Renamed to “${renderUntrusted(title)}”`],
    agent === undefined ? [] : [html`Agent: ${renderUntrusted(agent)}`],
    permissionMode === undefined ? [] : [html`Permission mode: ${nameMode(permissionMode)}`],
    pinned === undefined ? [] : [pinned ? html`Pinned` : html`No longer pinned`],
    archived === undefined ? [] : [archived ? html`Archived` : html`No longer archived`],
    rule ? [html`Allowed${rule.scope === 'always' ? ' always' : ''}: ${renderUntrusted(rule.label)}`] : [],
  ].flat();
  return parts.map((part, n) => (n === 0 ? part : html` · ${part}`));
}
