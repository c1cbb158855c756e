import type { ParleyClient, Request } from '@parleyhq/client';
import {
  type Actor,
  type Grant,
  isReviewerOff,
  nameOf,
  type PermissionMode,
  permissionModes,
  readableSubject,
  type Session,
  showHidden,
  titleOf,
} from '@parleyhq/core';
import { html, LitElement, nothing } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { repeat } from 'lit/directives/repeat.js';
import { hasModes, modes, nameMode } from '../browser/modes.ts';
import { renderGrantRule } from '../prompt/grant-rule.ts';
import type { GrantLink } from '../prompt/receipt.ts';
import type { Suggestions } from '../prompt/suggestions.ts';
import { isSelf, renderDevice } from '../ui/actor.ts';
import '../prompt/subject.ts';
import '../prompt/suggestions.ts';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import { plainDialog } from '../styles/dialog.ts';
import { disclosure } from '../styles/disclosure.ts';
import '../ui/sheet-handle.ts';
import { FrameController } from '../ui/session-controller.ts';
import { formatTime } from '../ui/time.ts';
import { renderUntrusted } from '../ui/untrusted-text.ts';
import { permissionsStyles } from './permissions-styles.ts';

/** How many of the newest grants are requested at first, and how many more each time. */
const pageLength = 100;
const longestList = 1000;

/** Subjects up to this many characters are shown expanded. */
const shortText = 240;

/**
 * What runs in a session without asking: its permission mode and its grants.
 * @fires parley-statistics - show how much is asked
 */
@customElement('parley-permissions')
export class Permissions extends LitElement {
  static override styles = [base, controls, plainDialog, disclosure, permissionsStyles];

  @property({ attribute: false }) client!: ParleyClient;
  @property() sessionId = '';

  @state() private grants: readonly Grant[] | undefined;
  @state() private wanted: PermissionMode | undefined;
  @state() private isSure = false;
  @state() private limit = pageLength;
  @state() private notice = '';
  @state() private failure = '';
  @query('dialog') private dialog!: HTMLDialogElement;
  #stop: (() => void) | undefined;
  #expiry: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    super();
    new FrameController(this, (listener) => this.client.subscribe(listener));
  }

  /** Opens the dialog, and scrolls to a grant if `link` names one. */
  async open(link?: GrantLink): Promise<void> {
    await this.updateComplete;
    [this.notice, this.failure, this.wanted, this.isSure, this.limit] = ['', '', undefined, false, pageLength];
    this.#stop ??= this.client.onGrantsChange(() => void this.#load());
    if (!this.dialog.open) this.dialog.showModal();
    await this.#load();
    void this.renderRoot.querySelector<Suggestions>('parley-suggestions')?.load();
    await this.updateComplete;
    const item = link && this.#findItem(link);
    if (link && !item) this.notice = 'That approval no longer applies: it was revoked or has expired.';
    item?.scrollIntoView({ block: 'nearest' });
    (item ?? this.renderRoot.querySelector<HTMLElement>('h2'))?.focus();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#close();
  }

  override render() {
    const session = this.client.state.sessions.find(({ id }) => id === this.sessionId);
    return html`<dialog aria-labelledby="heading" @close=${this.#close}>
      <parley-handle></parley-handle>
      <form method="dialog" class="top">
        <h2 id="heading" tabindex="-1">What runs without asking</h2>
        <button>Close</button>
      </form>
      ${this.#isOperator ? nothing : html`<p class="subtle">Only operators change this. You can see what holds.</p>`}
      ${session && hasModes(session) ? this.#renderModes(session) : nothing} ${this.#renderSuggestions()} ${this.#renderGrants()}
      <p><button class="plain" @click=${this.#showStatistics}>How much is asked</button></p>
      <p class="notice" role="status">${this.notice}</p>
      ${this.failure ? html`<p class="failure" role="alert">${renderUntrusted(this.failure)}</p>` : nothing}
    </dialog>`;
  }

  #renderModes({ permissionMode }: Session) {
    const { wanted = permissionMode } = this;
    const isBypass = wanted === 'bypassPermissions';
    return html`<form class="modes" @submit=${this.#setMode}>
      <fieldset ?disabled=${!this.#isOperator}>
        <legend>In this session</legend>
        ${permissionModes.map(
          (mode) => html`<label>
            <input type="radio" name="mode" value=${mode} .checked=${wanted === mode} @change=${() => this.#want(mode)} />
            <span>${mode === permissionMode ? html`<b>${modes[mode].name}</b> <i>now</i>` : html`<b>${modes[mode].name}</b>`}<br />${modes[mode].words}</span>
          </label>`,
        )}
      </fieldset>
      ${
        wanted === permissionMode
          ? nothing
          : html`${
              isBypass
                ? html`<label class="sure">
                    <input type="checkbox" .checked=${this.isSure} @change=${this.#reassure} />
                    <span>Nobody will be asked before commands run, files are deleted or messages are sent in this session.</span>
                  </label>`
                : nothing
            }
            <button class=${isBypass ? 'danger' : 'primary'} ?disabled=${isBypass && !this.isSure}>
              ${isBypass ? 'Stop asking in this session' : `Change to “${nameMode(wanted)}”`}
            </button>`
      }
    </form>`;
  }

  /** Renders rules that this person could use in the session, after what they have allowed there (LESS2). */
  #renderSuggestions() {
    const { principal } = this.client.state.welcome ?? {};
    if (this.sessionId === '' || !principal || principal.role === 'viewer' || !this.grants) return nothing;
    return html`<parley-suggestions
      heading="Suggested"
      sessionId=${this.sessionId}
      .ask=${this.#ask}
      ?isDisabled=${!this.client.state.isInteractive}
    ></parley-suggestions>`;
  }

  readonly #ask = (frame: Request) => this.client.request(frame);

  #renderGrants() {
    if (!this.grants) return this.failure ? nothing : html`<p class="subtle">Loading …</p>`;
    const shown = this.grants.slice(-this.limit).toReversed();
    const off = shown.filter(isReviewerOff);
    const given = shown.filter((grant) => !isReviewerOff(grant));
    const own = given.filter(({ scope }) => scope !== 'always');
    const lasting = given.filter(({ scope }) => scope === 'always');
    return html`${off.length > 0 ? this.#renderList('People are asked instead of a reviewer', off) : nothing}
      ${own.length > 0 ? this.#renderList('Allowed for this session', own) : nothing}
      ${lasting.length > 0 ? this.#renderList('Always allowed, in every session', lasting) : nothing}
      ${
        given.length === 0
          ? html`<p class="subtle">Nothing is allowed for longer than one time. What you allow “for session” or “always” is listed here.</p>`
          : nothing
      }
      ${
        this.grants.length > this.limit && this.limit < longestList
          ? html`<button class="plain" @click=${this.#loadMore}>Show older</button>`
          : nothing
      }`;
  }

  #renderList(words: string, grants: readonly Grant[]) {
    return html`<section>
      <h3>${words}</h3>
      <ul>
        ${repeat(
          grants,
          ({ id }) => id,
          (grant) => this.#renderGrant(grant),
        )}
      </ul>
    </section>`;
  }

  #renderGrant(grant: Grant) {
    if (isReviewerOff(grant)) return this.#renderOff(grant);
    const { id, toolName, plugin, scope } = grant;
    const title = titleOf(grant);
    const subject = readableSubject(grant);
    return html`<li id=${id} tabindex="-1">
      <div class="what">
        ${title === undefined ? nothing : html`<p class="title">${renderUntrusted(title)}</p>`}
        <p>${scope === 'once' ? 'Once more: ' : 'Allows '}${renderGrantRule(grant)}.</p>
        ${subject ? html`<details ?open=${subject.text.length <= shortText}><summary>What was shown</summary><parley-subject .subject=${subject}></parley-subject></details>` : nothing}
        <p class="subtle">${this.#describe(grant)}</p>
      </div>
      ${
        this.#isOperator
          ? html`<button class="danger" aria-label="Revoke: ${showHidden(title ?? toolName ?? plugin)}" @click=${() => this.#end(id, 'Revoked. You will be asked again.')}>
              Revoke
            </button>`
          : nothing
      }
    </li>`;
  }

  #renderOff({ id, toolName = '', scope, takenOffBy, createdAt }: Grant) {
    const where = scope === 'always' ? 'in every session' : 'in this session';
    return html`<li id=${id} tabindex="-1">
      <div class="what">
        <p>About each call of <code>${renderUntrusted(toolName)}</code>, ${where}.</p>
        <p class="subtle">${takenOffBy ? html`By ${this.#nameOf(takenOffBy)}, ` : nothing}${formatTime(createdAt)}</p>
      </div>
      ${
        this.#isOperator
          ? html`<button aria-label="Let the reviewer pass again: ${showHidden(toolName)}" @click=${() => this.#end(id, 'The reviewer may pass its calls again.')}>
              Put back
            </button>`
          : nothing
      }
    </li>`;
  }

  #describe({ by, plugin, createdAt, expiresAt, uses }: Grant) {
    const who = by === undefined ? html`plugin ${renderUntrusted(plugin)}` : this.#nameOf(by);
    const used = uses === 0 ? 'not used yet' : uses === 1 ? 'used once' : `used ${uses} times`;
    const until = expiresAt === undefined ? '' : ` · until ${formatTime(expiresAt)}`;
    return html`By ${who}, ${formatTime(createdAt)} · ${used}${until}`;
  }

  #nameOf(by: Actor) {
    const { clientId, state } = this.client;
    const principal = state.welcome?.principal;
    if (principal && isSelf(by, { clientId, principal })) return 'you';
    const device = renderDevice(by);
    return html`${renderUntrusted(nameOf(by))}${device && html` (${device})`}`;
  }

  /** Only operators change modes and revoke grants (SEC4); others can look. */
  get #isOperator(): boolean {
    return this.client.state.welcome?.principal.role === 'operator';
  }

  #findItem(link: GrantLink): HTMLElement | undefined {
    const isMeant = ({ id, interactionId }: Grant) => ('id' in link ? id === link.id : interactionId === link.givenBy);
    const grant = this.grants?.findLast(isMeant);
    return [...this.renderRoot.querySelectorAll('li')].find(({ id }) => id === grant?.id);
  }

  async #load(): Promise<void> {
    const { sessionId } = this;
    const filter = { limit: Math.min(this.limit + 1, longestList), ...(sessionId !== '' && { sessionId }) };
    try {
      const grants = await this.client.listGrants(filter);
      this.grants = grants.filter(({ scope }) => sessionId !== '' || scope === 'always');
      this.#awaitExpiry();
    } catch (error) {
      this.failure = (error as Error).message;
    }
  }

  /** Reloads the list when the next grant expires. */
  #awaitExpiry(): void {
    clearTimeout(this.#expiry);
    const ends = (this.grants ?? []).flatMap(({ expiresAt }) =>
      expiresAt === undefined ? [] : [Date.parse(expiresAt)],
    );
    if (ends.length === 0 || !this.dialog.open) return;
    const leftMs = Math.max(0, Math.min(...ends) - this.client.now()) + 50;
    this.#expiry = setTimeout(() => void this.#load(), Math.min(leftMs, 2 ** 31 - 1));
  }

  async #loadMore(): Promise<void> {
    this.limit = Math.min(this.limit + pageLength, longestList - 1);
    await this.#load();
  }

  #want(mode: PermissionMode): void {
    this.wanted = mode;
    this.isSure = false;
  }

  #reassure(event: Event): void {
    this.isSure = (event.target as HTMLInputElement).checked;
  }

  #setMode(event: SubmitEvent): void {
    event.preventDefault();
    const { wanted } = this;
    if (wanted === undefined || (wanted === 'bypassPermissions' && !this.isSure)) return;
    this.#attempt(this.client.setPermissionMode(this.sessionId, wanted), () => {
      this.wanted = undefined;
      this.isSure = false;
      this.notice = `From the next call: ${modes[wanted].name}.`;
      this.renderRoot.querySelector<HTMLElement>('input:checked')?.focus();
    });
  }

  #end(grantId: string, notice: string): void {
    const items = [...this.renderRoot.querySelectorAll('li')];
    const at = items.findIndex(({ id }) => id === grantId);
    const next = (items[at + 1] ?? items[at - 1])?.querySelector('button') ?? this.renderRoot.querySelector('h2');
    this.#attempt(this.client.revokeGrant(grantId), () => {
      this.grants = this.grants?.filter(({ id }) => id !== grantId);
      this.notice = notice;
      next?.focus();
    });
  }

  #attempt(done: Promise<void>, then: () => void): void {
    this.failure = '';
    done.then(then, (error: Error) => {
      this.failure = error.message;
    });
  }

  #showStatistics(): void {
    this.dialog.close();
    this.dispatchEvent(new CustomEvent('parley-statistics'));
  }

  #close(): void {
    clearTimeout(this.#expiry);
    this.#stop?.();
    this.#stop = undefined;
  }
}
