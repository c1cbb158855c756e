import { showHidden } from '@parleyhq/core';
import { css, html, nothing, type TemplateResult } from 'lit';
import { announce } from '../browser/announce.ts';
import { icon, icons } from './icons.ts';

const copyIcon = icon('M9 9h10v11H9zM15 9V4H5v11h4');

/** How long a button shows that it worked, in ms. */
const saidMs = 1500;

export const copyStyles = css`
  button.copy {
    min-height: 1.75rem;
    width: 1.75rem;
    font-size: 0.9375rem;
    color: var(--ink-3);
  }
  .copy[data-said="copied"] > svg,
  .copy:not([data-said="copied"]) .said svg {
    display: none;
  }
  .copy[data-said="copied"] .said svg {
    display: block;
    color: var(--ok);
  }
  .copy[data-said="failed"] {
    color: var(--danger);
  }
  @media (pointer: coarse) {
    button.copy {
      min-height: 2.75rem;
      width: 2.75rem;
    }
  }
`;

/**
 * Renders a button that copies a text as it is shown: hidden characters are copied in their visible form (SEC5).
 * @param label - may contain untrusted text
 */
export function renderCopy(
  label: string,
  text: () => string,
  { title = label, icon = copyIcon }: { readonly title?: string; readonly icon?: TemplateResult } = {},
): TemplateResult {
  const name = showHidden(label);
  const press = (event: Event) => void copy(event.currentTarget as HTMLElement, text());
  return html`<button type="button" class="icon copy" aria-label=${name} title=${title} aria-description=${title === label ? '' : nothing} @click=${press}>
    ${icon}<span class="said">${icons.check}</span>
  </button>`;
}

async function copy(button: HTMLElement, text: string): Promise<void> {
  const isCopied = await navigator.clipboard?.writeText(showHidden(text)).then(
    () => true,
    () => false,
  );
  button.dataset.said = isCopied ? 'copied' : 'failed';
  announce(isCopied ? 'Copied' : 'Not copied: the browser does not allow it');
  setTimeout(() => delete button.dataset.said, saidMs);
}
