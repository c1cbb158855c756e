import type { Principal } from '@parleyhq/core';
import { css, html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { logOut } from '../page/login.ts';
import { canAskForNotifications } from '../page/page-signal.ts';
import { isDark, toggleTheme } from '../page/theme.ts';
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
 * What concerns the person and this browser, not a session.
 * @fires parley-shortcuts - show the keyboard shortcuts
 * @fires parley-devices - show where this person is logged in
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
        <button @click=${this.#toggleTheme}>${isDark() ? icons.sun : icons.moon}${words}</button>
        ${canAskForNotifications() ? html`<button @click=${this.#askForNotifications}>${icons.bell}Notify me</button>` : nothing}
        <button @click=${() => this.#fire('parley-shortcuts')}>${icons.help}Keyboard shortcuts</button>
        <button @click=${() => this.#fire('parley-devices')}>${icons.people}Devices</button>
        <hr />
        <button @click=${logOut}>${icons.logOut}Log out</button>`,
    );
  }

  #toggleTheme(): void {
    toggleTheme();
    this.requestUpdate();
  }

  async #askForNotifications(): Promise<void> {
    await Notification.requestPermission();
    this.requestUpdate();
  }

  #fire(type: string): void {
    this.dispatchEvent(new CustomEvent(type, { bubbles: true, composed: true }));
  }
}
