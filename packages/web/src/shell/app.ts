import type { ClientState } from '@parleyhq/client';
import { closeCodes, showHidden } from '@parleyhq/core';
import { html, LitElement, nothing } from 'lit';
import { customElement, query, state } from 'lit/decorators.js';
import { makeClient, nameSession } from '../page/client.ts';
import { findFocus, hasModifier, isInDialog, isTyping } from '../page/focus.ts';
import { logIn, logOut, takeKey } from '../page/login.ts';
import { canAskForNotifications, PageSignal } from '../page/page-signal.ts';
import { goTo, type Route, readRoute } from '../page/route.ts';
import { preferences } from '../page/tab.ts';
import { applyTheme, isDark, toggleTheme } from '../page/theme.ts';
import type { GrantLink } from '../prompt/receipt.ts';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import { icons } from '../ui/icons.ts';
import { appStyles } from './app-styles.ts';
import { renderBanner } from './banner.ts';
import type { Composer } from './composer.ts';
import { renderWaiting } from './composer.ts';
import type { Devices } from './devices.ts';
import { renderExamples } from './examples.ts';
import type { LoginAgain } from './login-again.ts';
import { findNextPrompt, findOwnPrompts } from './own-prompts.ts';
import type { Permissions } from './permissions.ts';
import { FrameController } from './session-controller.ts';
import './session-list.ts';
import type { SessionView } from './session-view.ts';
import './session-view.ts';
import type { ShortcutHelp } from './shortcut-help.ts';
import type { TopBar } from './top-bar.ts';
import './top-bar.ts';
import { renderUntrusted } from '../ui/untrusted-text.ts';

const usedAddress = 'This address logs in once, and was used. Paste the token instead.';

/** The page: the list of sessions, the one that is shown, and what concerns all of them. */
@customElement('parley-app')
export class App extends LitElement {
  static override styles = [base, controls, appStyles];

  @state() private route: Route = readRoute();
  @state() private isMenuOpen = false;
  @state() private failure = '';
  /** Said only where the page asks for a log-in: an earlier one may still be valid. */
  @state() private loginFailure = '';
  /** The first message of a session that is being created. */
  @state() private sending = '';
  /** Chosen for the next session; empty for the default. */
  @state() private agent = '';
  @state() private hasMore = true;
  @state() private hasPermissions = false;
  @query('parley-session') private view!: SessionView | null;
  readonly #client = makeClient(() => this.#logInAgain());
  readonly #signal = new PageSignal(() => this.#goToNext());
  #stop: (() => void) | undefined;

  constructor() {
    super();
    new FrameController(this, (listener) => this.#client.subscribe(listener));
  }

  override connectedCallback(): void {
    super.connectedCallback();
    applyTheme();
    this.#signal.start();
    void this.#load(import('./after-start.ts'));
    const abort = new AbortController();
    const { signal } = abort;
    addEventListener('popstate', () => this.#readRoute(), { signal });
    addEventListener('parley-route', () => this.#readRoute(), { signal });
    addEventListener('online', () => this.#client.reconnectNow(), { signal });
    document.addEventListener('keydown', (event) => this.#press(event), { signal });
    document.addEventListener('visibilitychange', () => document.hidden || this.#client.reconnectNow(), { signal });
    const stop = this.#client.subscribe(() => this.#setSignal()); // a hidden tab gets no animation frames
    this.#stop = () => {
      abort.abort();
      stop();
      this.#signal.stop();
      this.#client.stop();
    };
    void this.#start();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#stop?.();
  }

  override render() {
    const { state } = this.#client;
    if (state.connection === 'refused' && state.closeCode === closeCodes.unauthorised) {
      return html`<parley-login
        error=${this.loginFailure}
        @parley-login=${() => {
          this.loginFailure = '';
          this.#client.start();
        }}
      ></parley-login>`;
    }
    const { sessionId = '' } = this.route;
    const role = state.welcome?.principal.role;
    const ownPrompts = findOwnPrompts(state);
    const session = state.sessions.find(({ id }) => id === sessionId);
    const theme = isDark() ? 'Light theme' : 'Dark theme';
    return html`<aside
        class=${this.isMenuOpen ? 'open' : ''}
        @parley-go=${(event: CustomEvent<Route>) => this.#go(event.detail)}
        @parley-new=${this.#startNew}
        @parley-more=${this.#loadMore}
      >
        <button class="skip" @click=${this.#focusComposer}>Skip to the message box</button>
        <parley-sessions
          .sessions=${state.sessions}
          .inbox=${ownPrompts}
          .olderOpen=${state.olderOpen}
          currentId=${sessionId}
          .now=${this.#client.now()}
          ?hasMore=${this.hasMore && state.sessions.length >= 100}
        ></parley-sessions>
        <div class="foot">
          <button class="icon" aria-label=${theme} title=${theme} @click=${this.#toggleTheme}>
            ${isDark() ? icons.sun : icons.moon}
          </button>
          <button class="icon" aria-label="Keyboard shortcuts" title="Keyboard shortcuts (?)" @click=${this.#showShortcuts}>${icons.help}</button>
          <button class="icon" aria-label="Devices" title="Devices" @click=${this.#showDevices}>${icons.people}</button>
          <button class="icon" aria-label="Log out" title="Log out" @click=${logOut}>${icons.logOut}</button>
          ${
            canAskForNotifications()
              ? html`<button class="icon" aria-label="Notify me" title="Notify me" @click=${this.#askForNotifications}>${icons.bell}</button>`
              : nothing
          }
        </div>
      </aside>
      ${this.isMenuOpen ? html`<div class="scrim" @click=${this.#closeMenu}></div>` : nothing}
      <main>
        <parley-top-bar
          .session=${session}
          .presence=${state.presence.get(sessionId)}
          .openCount=${ownPrompts.length}
          .isInteractive=${state.isInteractive}
          ?mayDelete=${role === 'operator'}
          ?mayRename=${role !== 'viewer'}
          @parley-menu=${this.#openMenu}
          @parley-permissions=${this.#showPermissions}
          @parley-next=${this.#goToNext}
          @parley-rename=${(event: CustomEvent<string>) => this.#attempt(this.#client.renameSession(sessionId, event.detail))}
          @parley-delete=${() => this.#attempt(this.#client.deleteSession(sessionId).then(() => this.#go({})))}
          @parley-interactive=${this.#setInteractive}
        ></parley-top-bar>
        <div>
          ${renderBanner(state)}
          ${sessionId && this.failure ? this.#renderFailure() : nothing}
          ${session?.permissionMode === 'bypassPermissions' ? this.#renderBypass(sessionId) : nothing}
        </div>
        ${sessionId ? this.#renderSession(sessionId) : this.#renderHome(state)}
      </main>
      <parley-help></parley-help>
      <parley-devices .logInAgain=${() => this.#logInAgain()}></parley-devices>
      <parley-login-again></parley-login-again>
      ${
        this.hasPermissions
          ? html`<parley-permissions .client=${this.#client} sessionId=${sessionId}></parley-permissions>`
          : nothing
      }`;
  }

  #renderSession(sessionId: string) {
    return html`<parley-session
      .client=${this.#client}
      sessionId=${sessionId}
      interactionId=${this.route.interactionId ?? ''}
      @parley-permissions=${this.#showPermissions}
    ></parley-session>`;
  }

  /** What was asked for in the bar or the list did not happen. */
  #renderFailure() {
    const close = () => {
      this.failure = '';
    };
    return html`<div class="banner failure" role="alert">
      <span>${renderUntrusted(this.failure)}</span>
      <button class="icon" aria-label="Close this message" @click=${close}>${icons.cross}</button>
    </div>`;
  }

  #renderBypass(sessionId: string) {
    const isOperator = this.#client.state.welcome?.principal.role === 'operator';
    const askAgain = () => this.#attempt(this.#client.setPermissionMode(sessionId, 'default'));
    return html`<div class="banner bypass" role="status">
      <span>Tools in this session run without asking anybody.</span>
      ${isOperator ? html`<button @click=${askAgain}>Ask again</button>` : nothing}
    </div>`;
  }

  #renderHome({ welcome, connection }: ClientState) {
    const { role, sessions } = welcome?.principal ?? {};
    if (role === 'viewer' || sessions) {
      return html`<div class="home"><h2>Choose a session</h2><p>Your token does not let you start one.</p></div>`;
    }
    const agents = welcome?.agents ?? [];
    const { examples } = agents.find(({ name }) => name === this.agent) ?? agents[0] ?? {};
    return html`<div class="home">
      <div>
        <h2>What should the agent do?</h2>
        <p>It stops and asks when it needs a decision. Answer from any tab: the first answer counts.</p>
      </div>
      ${
        agents.length > 1
          ? html`<label>Agent <select @change=${this.#chooseAgent}>${agents.map(({ name }) => html`<option value=${name} class="untrusted">${showHidden(name)}</option>`)}</select></label>`
          : nothing
      }
      <parley-composer sessionId="new" @parley-send=${(event: CustomEvent<string>) => this.#startSession(event.detail)}></parley-composer>
      ${examples ? renderExamples(examples, (text) => this.#startSession(text)) : nothing}
      ${this.sending && connection !== 'open' ? renderWaiting(this.sending) : nothing}
      ${this.failure ? html`<p class="failure" role="alert">${renderUntrusted(this.failure)}</p>` : nothing}
      ${welcome ? html`<parley-own-agent ?isOpen=${this.#client.state.sessions.length === 0}></parley-own-agent>` : nothing}
    </div>`;
  }

  async #start(): Promise<void> {
    const key = takeKey();
    const fault = key && (await logIn(key).catch(() => undefined)); // the banner reports a server that is down
    if (key && fault !== undefined)
      this.loginFailure = 'code' in key ? usedAddress : 'The token in this address is invalid or has expired.';
    this.#client.start();
  }

  #chooseAgent(event: Event): void {
    this.agent = (event.target as HTMLSelectElement).value;
  }

  #startSession(text: string): void {
    const { agent } = this;
    this.sending = text;
    const started = this.#client
      .createSession({ title: nameSession(text), ...(agent !== '' && { agent }) })
      .then(async ({ id }) => {
        const session = this.#client.open(id);
        await session.send(text);
        this.#go({ sessionId: id });
        await this.updateComplete;
        session.close();
        this.view?.focusComposer();
      })
      .finally(() => {
        this.sending = '';
      });
    this.#attempt(started, () => this.renderRoot.querySelector<Composer>('parley-composer')?.giveBack(text));
  }

  #attempt(done: Promise<void>, onFailure?: () => void): void {
    done.then(
      () => {
        this.failure = '';
      },
      (error: Error) => {
        this.failure = error.message;
        onFailure?.();
      },
    );
  }

  #startNew(): void {
    this.#go({});
    void this.updateComplete.then(() => this.#focusComposer());
  }

  #focusComposer(): void {
    if (this.view) this.view.focusComposer();
    else this.renderRoot.querySelector<Composer>('parley-composer')?.focus();
  }

  async #loadMore(): Promise<void> {
    this.hasMore = (await this.#client.loadMoreSessions()) > 0;
  }

  #go(route: Route): void {
    this.isMenuOpen = false;
    goTo(route);
  }

  #readRoute(): void {
    this.route = readRoute();
    this.#setSignal();
  }

  async #openMenu(): Promise<void> {
    this.isMenuOpen = true;
    await this.updateComplete;
    this.renderRoot.querySelector('parley-sessions')?.shadowRoot?.querySelector('button')?.focus();
  }

  #closeMenu(): void {
    this.isMenuOpen = false;
    this.renderRoot.querySelector<TopBar>('parley-top-bar')?.focusMenu();
  }

  #setInteractive(event: CustomEvent<boolean>): void {
    preferences.isInteractive = event.detail;
    this.#attempt(this.#client.setInteractionEnabled(event.detail));
  }

  #toggleTheme(): void {
    toggleTheme();
    this.requestUpdate();
  }

  async #askForNotifications(): Promise<void> {
    await Notification.requestPermission();
    this.requestUpdate();
  }

  /** Loads the dialog on first use; `detail` is the grant to show. */
  async #showPermissions({ detail: link }: CustomEvent<GrantLink | undefined>): Promise<void> {
    if (!(await this.#load(import('./permissions.ts')))) return;
    this.hasPermissions = true;
    await this.updateComplete;
    this.renderRoot.querySelector<Permissions>('parley-permissions')?.open(link);
  }

  async #showShortcuts(): Promise<void> {
    if (await this.#load(import('./shortcut-help.ts'))) {
      await this.renderRoot.querySelector<ShortcutHelp>('parley-help')?.open();
    }
  }

  async #showDevices(): Promise<void> {
    if (await this.#load(import('./devices.ts'))) {
      await this.renderRoot.querySelector<Devices>('parley-devices')?.open();
    }
  }

  async #logInAgain(): Promise<boolean> {
    if (!(await this.#load(import('./login-again.ts')))) return false;
    return this.renderRoot.querySelector<LoginAgain>('parley-login-again')?.ask() ?? false;
  }

  /** Waits for a part of the page that is loaded on first use. @returns whether it could be loaded */
  async #load(part: Promise<unknown>): Promise<boolean> {
    const isLoaded = await part.then(
      () => true,
      () => false,
    );
    this.failure = isLoaded ? '' : 'This part of the page could not be loaded. Is the server running?';
    return isLoaded;
  }

  #setSignal(): void {
    const { state } = this.#client;
    const session = state.sessions.find(({ id }) => id === this.route.sessionId);
    this.#signal.set(session ? `${showHidden(session.title)} · Parley` : 'Parley', findOwnPrompts(state).length);
  }

  #goToNext(): void {
    const { sessionId = '' } = this.route;
    const shown = this.view?.listCards() ?? [];
    const focused = shown.find((id) => this.view?.findCard(id)?.matches(':focus-within'));
    const next = findNextPrompt(findOwnPrompts(this.#client.state), { sessionId, shown, focused });
    if (!next) return;
    const { interactionId } = next.interaction;
    const card = next.sessionId === sessionId ? this.view?.findCard(interactionId) : undefined;
    if (!card) this.#go({ sessionId: next.sessionId, interactionId });
    card?.scrollIntoView({ block: 'nearest' });
    card?.focus();
  }

  #press(event: KeyboardEvent): void {
    if (isInDialog(event)) return;
    if (event.key === 'Escape' && this.isMenuOpen) this.#closeMenu();
    if (event.defaultPrevented || isTyping(event) || hasModifier(event)) return;
    const isUnfocused = [null, document.body].includes(findFocus() as HTMLElement | null);
    if (event.key === 'n') this.#goToNext();
    else if (event.key === 'm') this.#focusComposer();
    else if (event.key === '?') void this.#showShortcuts();
    else if (/^[1-9]$/.test(event.key) && isUnfocused) this.#choose(Number(event.key));
    else return;
    event.preventDefault();
  }

  #choose(n: number): void {
    const inbox = findOwnPrompts(this.#client.state);
    const here = inbox.filter(({ sessionId }) => sessionId === this.route.sessionId);
    const card = here.map(({ interaction }) => this.view?.findCard(interaction.interactionId)).find(Boolean);
    card?.focus();
    card?.choose(n);
  }
}
