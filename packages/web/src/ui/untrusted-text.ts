import { showHidden } from '@parleyhq/core';
import { html, type TemplateResult } from 'lit';

/**
 * Renders text that the page did not write, inline: as text, with hidden characters made visible and its direction isolated.
 * Whatever comes from a model, tool, plugin, person or server is in an element of the class `untrusted`, and nothing else is
 * (SEC5).
 */
export const renderUntrusted = (text: string): TemplateResult => html`<bdi class="untrusted">${showHidden(text)}</bdi>`;
