import type { ParleyClient } from '@parleyhq/client';
import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { isLoaded } from '../browser/is-loaded.ts';
import type { GrantLink } from '../prompt/receipt.ts';
import { base } from '../styles/base.ts';
import type { Devices } from './devices.ts';
import type { LoginAgain } from './login-again.ts';
import type { Notifications } from './notifications.ts';
import type { Permissions } from './permissions.ts';
import type { ShortcutHelp } from './shortcut-help.ts';
import type { Statistics } from './statistics.ts';

const loaders = {
  help: () => import('./shortcut-help.ts'),
  devices: () => import('./devices.ts'),
  notifications: () => import('./notifications.ts'),
  statistics: () => import('./statistics.ts'),
} as const;

/** The dialogs that need no arguments. */
export type DialogName = keyof typeof loaders;

/**
 * The dialogs of the page, each loaded when it is first shown.
 * @fires parley-failure - why a dialog could not be shown; empty once one was
 */
@customElement('parley-dialogs')
export class Dialogs extends LitElement {
  static override styles = [
    base,
    css`
      :host {
        position: absolute;
      }
    `,
  ];

  @property({ attribute: false }) client!: ParleyClient;
  @property() sessionId = '';

  @state() private hasPermissions = false;
  @query('parley-help') private help!: ShortcutHelp;
  @query('parley-devices') private devices!: Devices;
  @query('parley-notifications') private notifications!: Notifications;
  @query('parley-statistics') private statistics!: Statistics;
  @query('parley-login-again') private login!: LoginAgain;
  @query('parley-permissions') private permissions!: Permissions | null;

  /** Shows what runs without asking. @param link - the grant to scroll to */
  async showPermissions(link?: GrantLink): Promise<void> {
    if (!(await this.#load(import('./permissions.ts')))) return;
    this.hasPermissions = true;
    await this.updateComplete;
    await this.permissions?.open(link);
  }

  async show(name: DialogName): Promise<void> {
    if (await this.#load(loaders[name]())) await this[name].open();
  }

  /** Asks for the token (SEC9). @returns whether the token was shown */
  async logInAgain(): Promise<boolean> {
    return (await this.#load(import('./login-again.ts'))) && this.login.ask();
  }

  override render() {
    return html`<parley-help></parley-help>
      <parley-devices .logInAgain=${() => this.logInAgain()}></parley-devices>
      <parley-notifications></parley-notifications>
      <parley-statistics sessionId=${this.sessionId}></parley-statistics>
      <parley-login-again></parley-login-again>
      ${
        this.hasPermissions
          ? html`<parley-permissions .client=${this.client} sessionId=${this.sessionId} @parley-statistics=${() => void this.show('statistics')}></parley-permissions>`
          : nothing
      }`;
  }

  /** Waits for a dialog that is loaded on first use. @returns whether it could be loaded */
  async #load(part: Promise<unknown>): Promise<boolean> {
    const isThere = await isLoaded(part);
    const detail = isThere ? '' : 'This part of the page could not be loaded. Is the server running?';
    this.dispatchEvent(new CustomEvent('parley-failure', { detail, bubbles: true, composed: true }));
    return isThere;
  }
}
