import { type Item, type MessageItem, type Payload, showHidden } from '@parleyhq/core';
import { html, nothing, type TemplateResult } from 'lit';
import '../ui/opaque-card.ts';
import { nameMode } from '../page/modes.ts';
import { formatTime } from '../ui/time.ts';
import type { Row } from './rows.ts';
import { describeUsage } from './usage.ts';
import './markdown-text.ts';
import { renderUntrusted } from '../ui/untrusted-text.ts';

/** Renders every row but tools and prompts, which are elements of their own. */
export function renderItem(
  item: Extract<Row, { kind: 'item' }>['item'],
  clientId: string,
): TemplateResult | typeof nothing {
  switch (item.kind) {
    case 'message':
      return renderMessage(item, clientId);
    case 'text':
      return html`<parley-markdown .text=${item.text.payload.text}></parley-markdown>
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

function renderMessage({ sent, timestamp }: MessageItem, clientId: string) {
  if (!sent) return nothing;
  const { text, from, origin } = sent.payload;
  const sender =
    origin === 'interaction'
      ? 'late answer'
      : from && from.clientId !== clientId
        ? html`from ${from.label ? renderUntrusted(from.label) : 'another device'}`
        : undefined;
  return html`<div class="message">
    <p class="bubble untrusted">${showHidden(text)}</p>
    <p class="meta">
      ${sender ? html`${sender} · ` : nothing}<time datetime=${timestamp}>${formatTime(timestamp)}</time>
    </p>
  </div>`;
}

/** Collapsed: the reasoning is there for whoever wants to read it. */
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
  const { title, agent, permissionMode } = change.payload;
  const parts = [
    title === undefined ? [] : [html`Renamed to “${renderUntrusted(title)}”`],
    agent === undefined ? [] : [html`Agent: ${renderUntrusted(agent)}`],
    permissionMode === undefined ? [] : [html`Permission mode: ${nameMode(permissionMode)}`],
  ].flat();
  return parts.map((part, n) => (n === 0 ? part : html` · ${part}`));
}
