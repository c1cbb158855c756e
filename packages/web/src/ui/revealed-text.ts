import { showHidden } from '@parleyhq/core';
import { html, nothing, type TemplateResult } from 'lit';

/** Repeats the text of a control below it, if it has characters that the control cannot show. */
export function revealHidden(text: string): TemplateResult | typeof nothing {
  const shown = showHidden(text);
  if (shown === text.replace(/\r\n/g, '\n')) return nothing;
  return html`<p class="about revealed">With hidden characters shown: <bdi class="untrusted">${shown}</bdi></p>`;
}
