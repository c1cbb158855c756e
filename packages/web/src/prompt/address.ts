import { showHidden } from '@parleyhq/core';
import { html, nothing, type TemplateResult } from 'lit';

/** Renders the whole address, with its host highlighted. */
export function renderAddress(url: string): TemplateResult {
  if (!URL.canParse(url)) return html`<p class="url untrusted">${showHidden(url)}</p>`;
  const { protocol, host, pathname, search, hash, username, password } = new URL(url);
  const user = username || password ? `${username}${password ? `:${password}` : ''}@` : '';
  return html`<p class="url untrusted">
      ${protocol}//${showHidden(user)}<b>${host}</b>${showHidden(`${pathname}${search}${hash}`)}
    </p>
    ${protocol === 'https:' ? nothing : html`<p class="note">This address is not encrypted.</p>`}`;
}
