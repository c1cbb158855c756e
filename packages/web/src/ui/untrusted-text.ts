import { showHidden } from '@parleyhq/core';
import { html, nothing, type TemplateResult } from 'lit';

/**
 * Renders text that the page did not write, inline: as text, with hidden characters made visible and its direction isolated.
 * Whatever comes from a model, tool, plugin, person or server is in an element of the class `untrusted`, and nothing else is
 * (SEC5).
 */
export const renderUntrusted = (text: string): TemplateResult => html`<bdi class="untrusted">${showHidden(text)}</bdi>`;

/** Repeats the text of a control below it, if it has characters that the control cannot show. */
export function revealHidden(text: string): TemplateResult | typeof nothing {
  const shown = showHidden(text);
  if (shown === text.replace(/\r\n/g, '\n')) return nothing;
  return html`<p class="about revealed">With hidden characters shown: <bdi class="untrusted">${shown}</bdi></p>`;
}
