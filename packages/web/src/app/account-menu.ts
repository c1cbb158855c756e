import type { Principal } from '@parleyhq/core';
import { css, html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { logOut } from '../browser/login.ts';
import { followSystemTheme, isDark, isThemeChosen, toggleTheme } from '../browser/theme.ts';
import type { DialogName } from '../dialogs/dialogs.ts';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import { menuStyles } from '../styles/menu.ts';
import { icons } from '../ui/icons.ts';
import { renderMenu } from '../ui/menu.ts';
import { renderUntrusted } from '../ui/untrusted-text.ts';

const roles: Readonly<Record<string, string>> = {
  operator: 'May decide everything',
  responder: 'May answer and write',
  viewer: 'May watch',
};

/**
 * Menu for what concerns the person and this browser rather than a session.
 * @fires parley-show - show this dialog
 */
@customElement('parley-account')
export class AccountMenu extends LitElement {
  static override styles = [
    base,
    controls,
    menuStyles,
    css`
      .menu:popover-open {
        inset-inline: auto;
        left: calc(var(--side) - 14rem - var(--s2));
      }
      @media (max-width: 48rem) {
        .menu:popover-open {
          inset-inline: auto var(--s2);
        }
      }
    `,
  ];

  @property({ attribute: false }) principal: Principal | undefined;

  override render() {
    const { principal } = this;
    const words = isDark() ? 'Light theme' : 'Dark theme';
    return renderMenu(
      { id: 'account', label: 'Account', face: icons.person },
      html`${
        principal &&
        html`<p><b>${renderUntrusted(principal.name ?? principal.id)}</b>${roles[principal.role] ?? principal.role}</p>
            <hr />`
      }
        <button @click=${() => this.#setTheme(toggleTheme)}>${isDark() ? icons.sun : icons.moon}${words}</button>
        ${isThemeChosen() ? html`<button @click=${() => this.#setTheme(followSystemTheme)}>${icons.undo}System theme</button>` : nothing}
        ${principal?.role === 'viewer' ? nothing : html`<button @click=${() => this.#show('notifications')}>${icons.bell}Notifications</button>`}
        <button @click=${() => this.#show('help')}>${icons.help}Keyboard shortcuts</button>
        <button @click=${() => this.#show('devices')}>${icons.people}Devices</button>
        <hr />
        <button @click=${logOut}>${icons.logOut}Log out</button>`,
    );
  }

  #setTheme(set: () => void): void {
    set();
    this.requestUpdate();
  }

  #show(detail: DialogName): void {
    this.dispatchEvent(new CustomEvent('parley-show', { detail, bubbles: true, composed: true }));
  }
}
