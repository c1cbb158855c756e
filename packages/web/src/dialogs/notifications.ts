import { type NotificationDetail, notificationDetails, type QuietHours } from '@parleyhq/core';
import { css, html, LitElement, nothing } from 'lit';
import { customElement, query, state } from 'lit/decorators.js';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import { plainDialog } from '../styles/dialog.ts';
import { disclosure } from '../styles/disclosure.ts';
import '../ui/sheet-handle.ts';
import * as device from '../notify/this-device.ts';
import { formatTime } from '../ui/time.ts';
import { renderUntrusted } from '../ui/untrusted-text.ts';

const detailWords: Readonly<Record<NotificationDetail, string>> = {
  none: 'Only that something waits',
  title: 'Its title',
  subject: 'Its title and a short subject, which can be allowed there',
};

const stateWords: Readonly<Record<device.ToldOf['state'], string>> = {
  due: 'trying again',
  sent: 'sent',
  failed: 'could not be sent',
  withdrawn: 'not needed any more',
};

/** Returns the channel of a notification: Web Push, or the notifier by its configured name. */
function wayOf(target: string) {
  const [way = ''] = target.split(':');
  return way === 'device' ? 'Web Push' : renderUntrusted(way);
}

/** Suggested quiet hours: the night in the browser's time zone. */
const usualQuiet = (): QuietHours => ({
  from: '22:00',
  to: '07:00',
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
});

/** Settings for notifications in this browser and others, and the notifications that were sent (NTF2, NTF4). */
@customElement('parley-notifications')
export class Notifications extends LitElement {
  static override styles = [
    base,
    controls,
    plainDialog,
    disclosure,
    css`
      dialog {
        width: min(32rem, calc(100vw - 2rem));
      }
      dialog > p {
        padding-block: var(--s1) var(--s4);
      }
      section {
        display: grid;
        gap: var(--s3);
        padding-block: var(--s4);
        border-top: 1px solid var(--line);
      }
      .row {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: var(--s2) var(--s3);
      }
      .row > :first-child {
        flex: 1;
        min-width: 8rem;
      }
      input[type="time"] {
        width: auto;
      }
      h3 {
        font: var(--text-h3) var(--sans);
      }
      li {
        padding-block: var(--s1);
        font: 400 var(--text-secondary) var(--sans);
        color: var(--ink-2);
      }
    `,
  ];

  /** Undefined while loading; null if this browser gets no notifications. */
  @state() private own: device.TellableDevice | null | undefined;
  @state() private others: readonly device.TellableDevice[] = [];
  @state() private told: readonly device.ToldOf[] = [];
  @state() private isBusy = false;
  @state() private failure = '';
  @state() private success = '';
  @query('dialog') private dialog!: HTMLDialogElement;

  async open(): Promise<void> {
    await this.updateComplete;
    if (!this.dialog.open) this.dialog.showModal();
    await this.#do(async () => undefined);
  }

  override render() {
    return html`<dialog aria-labelledby="heading">
      <parley-handle></parley-handle>
      <h2 id="heading" tabindex="-1">Notifications</h2>
      <p>You are notified when something waits for you and no Parley page is open in front of you. A message never holds the question itself.</p>
      ${device.canBeTold() ? this.#renderOwn() : html`<p>This browser shows notifications only on pages with https, or on this machine.</p>`}
      ${this.others.length > 0 ? this.#renderOthers() : nothing}
      ${this.told.length > 0 ? this.#renderTold() : nothing}
      <div role="status">${this.success ? html`<p>${this.success}</p>` : nothing}</div>
      ${this.failure ? html`<p class="failure" role="alert">${this.failure}</p>` : nothing}
      <form method="dialog" class="actions"><button>Close</button></form>
    </dialog>`;
  }

  #renderOwn() {
    const { own } = this;
    if (own === undefined) return html`<section aria-busy="true"><p>Loading …</p></section>`;
    if (own === null)
      return html`<section>
        <div class="row">
          <p>Off in this browser.</p>
          <button class="primary" ?disabled=${this.isBusy} @click=${() => this.#do(device.turnOn, 'On: this browser notifies you from now on.')}>Turn on</button>
        </div>
      </section>`;
    return html`<section aria-label="This browser">
      <div class="row">
        <p>On in this browser.</p>
        <button ?disabled=${this.isBusy} @click=${() => this.#test(own.id)}>Send a test</button>
        <button class="danger" ?disabled=${this.isBusy} @click=${() => this.#do(device.turnOff, 'Off: this browser does not notify you any more.')}>Turn off</button>
      </div>
      <label class="row"
        ><span>What a message shows</span>
        <select .value=${own.detail} @change=${this.#chooseDetail}>
          ${notificationDetails.map((detail) => html`<option value=${detail} ?selected=${detail === own.detail}>${detailWords[detail]}</option>`)}
        </select></label
      >
      <div class="row">
        <label
          ><input type="checkbox" .checked=${own.quiet !== undefined} @change=${this.#toggleQuiet} /> Quiet hours</label
        >
        ${own.quiet ? this.#renderQuiet(own.quiet) : nothing}
      </div>
    </section>`;
  }

  #renderQuiet(quiet: QuietHours) {
    const set = (part: Partial<QuietHours>) => this.#do(() => device.change({ quiet: { ...quiet, ...part } }));
    const change =
      (name: 'from' | 'to') =>
      ({ target }: Event) => {
        const { value } = target as HTMLInputElement;
        if (value) void set({ [name]: value });
      };
    return html`<input type="time" aria-label="Quiet from" .value=${quiet.from} @change=${change('from')} />
      <span>to</span>
      <input type="time" aria-label="Quiet to" .value=${quiet.to} @change=${change('to')} />`;
  }

  #renderOthers() {
    return html`<section>
      <h3>Other browsers</h3>
      ${this.others.map(
        ({ id, name, createdAt }) =>
          html`<div class="row">
            <p>${renderUntrusted(name)} · since ${formatTime(createdAt)}</p>
            <button class="danger" aria-label="Forget ${name}" @click=${() => this.#do(() => device.forget(id))}>Forget</button>
          </div>`,
      )}
    </section>`;
  }

  #renderTold() {
    return html`<section>
      <details>
        <summary>What was sent</summary>
        <ul>
          ${this.told.map(
            ({ sessionId, interactionId, target, state, at, fault }) =>
              html`<li>
                <a href="/s/${encodeURIComponent(sessionId)}/${encodeURIComponent(interactionId)}">${formatTime(at)}</a>,
                ${wayOf(target)}: ${stateWords[state]}${fault ? html` (${renderUntrusted(fault)})` : nothing}
              </li>`,
          )}
        </ul>
      </details>
    </section>`;
  }

  #chooseDetail({ target }: Event): void {
    const detail = (target as HTMLSelectElement).value as NotificationDetail;
    void this.#do(() => device.change({ detail }));
  }

  #toggleQuiet({ target }: Event): void {
    const isQuiet = (target as HTMLInputElement).checked;
    void this.#do(() => device.change({ quiet: isQuiet ? usualQuiet() : null }));
  }

  #test(id: string): Promise<void> {
    return this.#do(() => device.sendTest(id), 'A message is on its way.');
  }

  /** Runs a change, then loads the current state. */
  async #do(work: () => Promise<unknown>, success = ''): Promise<void> {
    this.isBusy = true;
    this.failure = '';
    this.success = '';
    try {
      await work();
      this.success = success;
    } catch (error) {
      this.failure = error instanceof Error ? error.message : String(error);
    }
    await this.#load().catch((error: Error) => {
      this.failure ||= error.message;
    });
    this.isBusy = false;
  }

  async #load(): Promise<void> {
    const own = device.canBeTold() ? await device.findThis() : undefined;
    const [all, told] = await Promise.all([device.listDevices(), device.listTold()]);
    this.own = own ?? null;
    this.others = all.filter(({ id }) => id !== own?.id);
    this.told = told;
  }
}
