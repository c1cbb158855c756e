import type { Stream } from '@parleyhq/client';
import { html, nothing } from 'lit';
import { renderUntrusted } from '../ui/untrusted-text.ts';
import '../ui/markdown-text.ts';
import { renderThinking } from './row-view.ts';

/** Renders what is being written, before it is in the log. */
export function renderStream({ kind, text }: Stream) {
  switch (kind) {
    case 'text':
      return html`<parley-markdown .text=${text}></parley-markdown>`;
    case 'thinking':
      return renderThinking(text, true);
    case 'tool_input':
      return html`<p class="note">Preparing a tool call … ${renderUntrusted(text.slice(-80))}</p>`;
    case 'tool_output':
      return nothing; // shown in its tool's block
    default:
      return kind satisfies never;
  }
}

export const renderTyping = () =>
  html`<div class="typing" role="img" aria-label="The agent is working"><i></i><i></i><i></i></div>`;

/** Explains what a conversation is for, while it is empty. */
export const renderEmpty = () =>
  html`<div class="empty">
    <h2>No messages yet</h2>
    <p>Write one below. When the agent needs a decision, it stops and asks here and in every other tab.</p>
  </div>`;
