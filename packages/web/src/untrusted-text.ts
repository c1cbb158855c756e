import { showHidden } from '@parleyhq/core';
import { html, nothing, type TemplateResult } from 'lit';

/**
 * Words of others within words of the page: as text, nothing in them hidden, their direction their own. Everything that a
 * model, a tool, a plugin, a person or a server says stands in an element of the class `said`, and nothing else does (SEC5).
 */
export const said = (text: string): TemplateResult => html`<bdi class="said">${showHidden(text)}</bdi>`;

/** What a control cannot show of the text in it. */
export function renderHidden(text: string): TemplateResult | typeof nothing {
  const shown = showHidden(text);
  if (shown === text.replace(/\r\n/g, '\n')) return nothing;
  return html`<p class="about revealed">With what cannot be seen: <bdi class="said">${shown}</bdi></p>`;
}
