import { describeCallback, type ToolItem } from '@parleyhq/core';
import { html } from 'lit';
import { formatTime } from '../ui/time.ts';
import { renderUntrusted } from '../ui/untrusted-text.ts';

/** Renders the results of a call's callbacks, one per line (PLG11). */
export function renderCallbacks({ callbacks = [] }: ToolItem) {
  return callbacks.map(
    ({ payload: { key, outcome }, timestamp }) =>
      html`<p class="below">${renderUntrusted(key)} ${describeCallback(outcome)} · <time datetime=${timestamp}>${formatTime(timestamp)}</time></p>`,
  );
}
