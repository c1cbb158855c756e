import type { ServerFrameOf } from '@parleyhq/core';
import { html, type TemplateResult } from 'lit';
import { renderUntrusted } from '../ui/untrusted-text.ts';

type Examples = NonNullable<ServerFrameOf<'welcome'>['agents'][number]['examples']>;

/** What an agent suggests to begin with: one press sends it. */
export function renderExamples(examples: Examples, onTry: (text: string) => void): TemplateResult {
  return html`<div class="examples" role="group" aria-labelledby="try">
    <p id="try">Things to try</p>
    ${examples.map(
      ({ text, about }) => html`<button @click=${() => onTry(text)}>
        <span>${renderUntrusted(about)}</span><code>${renderUntrusted(text)}</code>
      </button>`,
    )}
  </div>`;
}
