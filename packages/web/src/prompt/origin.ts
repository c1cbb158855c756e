import type { InteractionRequest, Item } from '@parleyhq/core';
import { html, nothing } from 'lit';
import { renderUntrusted } from '../ui/untrusted-text.ts';

const kinds = { approval: 'Approval', input: 'Question', url: 'Link' } as const;

/** Renders who asks, in the page's own words, small and above everything that a tool wrote (SEC5). */
export function renderEyebrow(request: InteractionRequest, tool: Item | undefined) {
  const { interactionType, attempt } = request;
  return html`<div class="eyebrow">
    <i class="dot" role="img" aria-label="${kinds[interactionType]} from"></i>
    ${renderOrigin(request, tool)}
    ${attempt > 1 ? html`<span>attempt ${attempt}</span>` : nothing}
  </div>`;
}

/**
 * Renders who asks: for a call from outside the name that its program gives itself, and the end of its detail, which is often a
 * path; otherwise the tool, and its server or agent.
 */
function renderOrigin({ source, toolName }: InteractionRequest, tool: Item | undefined) {
  const caller = tool?.kind === 'tool' ? tool.call?.payload.from : undefined;
  if (caller) return html`<b>${renderUntrusted(caller.name)}</b>${renderMore(caller.detail?.replace(/^\/.*\//, ''))}`;
  return html`<code>${renderUntrusted(toolName)}</code>${renderMore(source.kind === 'tool' ? undefined : `${source.kind} ${source.name}`)}`;
}

const renderMore = (text: string | undefined) =>
  text === undefined ? nothing : html`<span class="origin">${renderUntrusted(text)}</span>`;
