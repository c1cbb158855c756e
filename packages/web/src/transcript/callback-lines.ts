import type { ToolItem } from '@parleyhq/core';
import { html } from 'lit';
import { formatTime } from '../ui/time.ts';
import { renderUntrusted } from '../ui/untrusted-text.ts';

const outcomeWords = { received: 'came from outside', timeout: 'did not come in time' } as const;

/** What became of the callbacks of a call, a line each (PLG11). */
export function renderCallbacks({ callbacks = [] }: ToolItem) {
  return callbacks.map(
    ({ payload: { key, outcome }, timestamp }) =>
      html`<p class="below">${renderUntrusted(key)} ${outcomeWords[outcome] ?? outcome} · <time datetime=${timestamp}>${formatTime(timestamp)}</time></p>`,
  );
}
