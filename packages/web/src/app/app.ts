import type { ClientState } from '@parleyhq/client';
import { closeCodes, type Session } from '@parleyhq/core';
import { html, LitElement, nothing } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { announce } from '../browser/announce.ts';
import { makeClient } from '../browser/client.ts';
import { findFocus, isInDialog, isPointed, isShortcut } from '../browser/focus.ts';
import { isPaletteKey, swallowStrayKeys } from '../browser/ignored-shortcuts.ts';
import { isLoaded } from '../browser/is-loaded.ts';
import { logIn, takeKey } from '../browser/login.ts';
import { goTo, type Route, readRoute } from '../browser/route.ts';
import { preferences } from '../browser/tab.ts';
import { applyTheme } from '../browser/theme.ts';
import type { Dialogs } from '../dialogs/dialogs.ts';
import type { InboxPage } from '../inbox/inbox-page.ts';
import { PageSignal } from '../notify/page-signal.ts';
import type { GrantLink } from '../prompt/receipt.ts';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import { appStyles } from './app-styles.ts';
import type { Commands } from './commands.ts';
import { ConnectionAnnouncer } from './connection-announcer.ts';
import { EpochWatch } from './epoch-watch.ts';
import type { ExportFormat } from './save-session.ts';
import '../dialogs/dialogs.ts';
import { hasRoomForCard } from '../inbox/card-room.ts';
import { findNeeds, findNextPrompt, findOwnPrompts, watchPostponed } from '../inbox/own-prompts.ts';
import type { SessionView } from '../session/session-view.ts';
import { noticeStyles } from '../ui/notice-styles.ts';
import { renderBypass, renderClosable, renderConnection } from '../ui/notices.ts';
import { FrameController } from '../ui/session-controller.ts';
import { MainViews, nameView } from './main-views.ts';
import type { Palette } from './palette.ts';
import type { SessionList } from './session-list.ts';
import { isNarrow, renderBrand, renderSideList } from './side-list.ts';
import type { Start, StartPage } from './start-page.ts';
import type { TopBar } from './top-bar.ts';
import './top-bar.ts';

/** The views that can stand next to the list. */
const views = 'parley-session-view, parley-inbox-page, parley-start, parley-absence';

const usedAddress = 'This address logs in once, and was used. Paste the token instead.';

/** The page: the list of sessions, the session on view, and what concerns all sessions. */
@customElement('parley-app')
export class App extends LitElement {
  static override styles = [base, controls, noticeStyles, appStyles];

  @state() private route: Route = readRoute();
  /** What the page shows if only one part fits. */
  @property({ reflect: true }) place: 'session' | 'home' | 'first' = 'home';
  @state() private failure = '';
  @state() private notice = '';
  /** Shown only if the page asks for a log-in: an earlier log-in may still be valid. */
  @state() private loginFailure = '';
  /** The first message of a session that is being created. */
  @state() private sending = '';
  @state() private hasMore = true;
  @query('parley-session-view') private view!: SessionView | null;
  @query('parley-start') private start!: StartPage | null;
  @query('parley-sessions') private list!: SessionList | null;
  @query('parley-top-bar') private bar!: TopBar | null;
  @query('parley-dialogs') private dialogs!: Dialogs | null;
  readonly #client = makeClient(
    async () => this.dialogs?.logInAgain() ?? false,
    () => void this.dialogs?.show('devices'),
  );
  readonly #signal = new PageSignal(() => this.#goToNext());
  readonly #news = new ConnectionAnnouncer();
  readonly #epochs = new EpochWatch();
  readonly #views = new MainViews(this, (part) => this.#load(part));
  #stop: (() => void) | undefined;
  readonly #commands: Commands = {
    startNew: () => this.#startNew(),
    goToNext: () => this.#goToNext(),
    enter: (route) => void this.#enter(route),
    search: () => this.view?.search(),
    rename: () => this.bar?.rename(),
    remove: () => this.bar?.askToDelete(),
    showPermissions: () => void this.dialogs?.showPermissions(undefined),
    show: (dialog) => void this.dialogs?.show(dialog),
    pin: ({ id }, pinned) => this.#attempt(this.#client.pinSession(id, pinned)),
    archive: ({ id }, archived) => this.#attempt(this.#client.archiveSession(id, archived)),
    save: (session, format) => this.#attempt(this.#save(session, format)),
  };
  #inbox: Promise<void> | undefined;
  /** The page of the list starts with the inbox, and the sessions follow below it. */
  #isInboxHome = false;
  #isFirstView = true;
  /** The focused button of a notice, before an update. */
  #pressed: Element | null = null;

  constructor() {
    super();
    new FrameController(this, (listener) => this.#client.subscribe(listener));
    new FrameController(this, watchPostponed);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    applyTheme();
    this.#signal.start();
    void this.#views.load(this.#client, this.route.sessionId);
    const abort = new AbortController();
    const { signal } = abort;
    addEventListener('pagehide', () => this.#sendChosen(), { signal });
    addEventListener('popstate', () => void this.#enter(), { signal });
    addEventListener('parley-route', () => this.#readRoute(), { signal });
    addEventListener('online', () => this.#client.reconnectNow(), { signal });
    for (const size of [isNarrow, hasRoomForCard])
      size.addEventListener('change', () => this.requestUpdate(), { signal });
    swallowStrayKeys(window, signal);
    document.addEventListener('keydown', (event) => this.#press(event), { signal });
    document.addEventListener('visibilitychange', () => document.hidden || this.#client.reconnectNow(), { signal });
    const setSignal = () => this.#setSignal(); // at once, because a hidden tab gets no animation frames
    const stops = [this.#client.subscribe(setSignal), watchPostponed(setSignal)];
    this.#stop = () => {
      abort.abort();
      for (const stop of stops) stop();
      this.#signal.stop();
      this.#client.stop();
    };
    void this.#start();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#stop?.();
  }

  protected override willUpdate(): void {
    this.#pressed = this.shadowRoot?.activeElement?.closest('.notice button') ?? null;
    const { welcome, sessions } = this.#client.state;
    const isFirst = welcome !== undefined && sessions.length === 0;
    this.place = this.route.sessionId !== undefined || this.route.place ? 'session' : isFirst ? 'first' : 'home';
    const hasInbox = this.#isInboxHome || findOwnPrompts(this.#client.state).length > 0; // it stays when the last is answered
    this.#isInboxHome = hasInbox && this.place === 'home' && isNarrow.matches;
    if (this.route.place === 'inbox' || this.#isInboxHome)
      this.#inbox ??= this.#load(import('../inbox/inbox-page.ts')).then(() => this.requestUpdate());
  }

  /** When a notice disappears together with its focused button, the focus moves to the main view. */
  protected override updated(): void {
    if (this.#pressed?.isConnected === false && isPointed()) this.#focusMain();
  }

  override render() {
    const { state } = this.#client;
    if (state.connection === 'refused' && state.closeCode === closeCodes.unauthorised) {
      return html`<parley-login
        role="main"
        error=${this.loginFailure}
        @parley-login=${() => {
          this.loginFailure = '';
          this.#client.start();
        }}
      ></parley-login>`;
    }
    const { sessionId = '' } = this.route;
    const needs = findNeeds(state);
    return html`<aside @parley-go=${this.#follow} @parley-more=${this.#loadMore}>
        <button class="skip" @click=${() => (this.view ? this.view.focusStart() : this.#focusMain())}>Skip the list of sessions</button>
        ${renderBrand(state.welcome?.principal, this.#commands)}
        ${renderSideList(this.#client, { needs, currentId: sessionId, hasMore: this.hasMore && state.sessions.length >= 100, isInbox: this.#isInboxHome, isNextToInbox: this.route.place === 'inbox' && hasRoomForCard.matches, isFirstView: this.#isFirstView })}
      </aside>
      <main @parley-go=${this.#follow}>
        ${state.welcome && (!sessionId || state.sessions.some(({ id }) => id === sessionId)) ? nothing : html`<h1 class="visually-hidden">Parley</h1>`}
        ${this.#renderBar(state, sessionId)}
        <div>${this.#renderNotices(state, sessionId)}</div>
        ${this.#renderMain(state, sessionId)}
      </main>
      <parley-palette .client=${this.#client} .commands=${this.#commands} sessionId=${sessionId}></parley-palette>
      <parley-dialogs
        .client=${this.#client}
        sessionId=${sessionId}
        @parley-failure=${(event: CustomEvent<string>) => {
          this.failure = event.detail;
        }}
      ></parley-dialogs>`;
  }

  #renderMain(state: ClientState, sessionId: string) {
    if (sessionId ? !this.#views.hasSessions : !this.#views.hasAll) return nothing;
    if (this.route.place === 'nowhere') return html`<parley-absence></parley-absence>`;
    if (this.route.place && !customElements.get('parley-inbox-page')) return nothing;
    if (this.route.place)
      return html`<parley-inbox-page isMain .client=${this.#client} ?isSteady=${!this.#isFirstView}></parley-inbox-page>`;
    if (!sessionId) return this.#renderStart(state);
    return html`<parley-session-view
      .client=${this.#client}
      sessionId=${sessionId}
      .link=${this.route}
      @parley-permissions=${this.#showPermissions}
    ></parley-session-view>`;
  }

  #renderBar(state: ClientState, sessionId: string) {
    const role = state.welcome?.principal.role;
    const session = state.sessions.find(({ id }) => id === sessionId);
    return html`<parley-top-bar
      .session=${session}
      .presence=${session && state.connection === 'open' ? state.presence.get(sessionId) : undefined}
      self=${state.welcome?.principal.id ?? ''}
      .openCount=${findNeeds(state).length}
      .isInteractive=${state.isInteractive}
      ?mayDelete=${role === 'operator'}
      ?mayRename=${role !== 'viewer'}
      @parley-permissions=${this.#showPermissions}
      @parley-next=${this.#goToNext}
      @parley-search=${this.#commands.search}
      @parley-rename=${(event: CustomEvent<string>) => this.#attempt(this.#client.renameSession(sessionId, event.detail))}
      @parley-pin=${(event: CustomEvent<boolean>) => this.#attempt(this.#client.pinSession(sessionId, event.detail))}
      @parley-archive=${(event: CustomEvent<boolean>) => this.#attempt(this.#client.archiveSession(sessionId, event.detail))}
      @parley-export=${(event: CustomEvent<ExportFormat>) => session && this.#attempt(this.#save(session, event.detail))}
      @parley-delete=${() => this.#attempt(this.#client.deleteSession(sessionId).then(() => this.#enter({})))}
      @parley-interactive=${(event: CustomEvent<boolean>) => this.#setInteractive(event.detail)}
    ></parley-top-bar>`;
  }

  #renderNotices(state: ClientState, sessionId: string) {
    const close = (what: 'failure' | 'notice') => () => {
      this[what] = '';
    };
    return html`${renderConnection(state, {
      reconnect: () => this.#client.reconnectNow(),
      answerHere: () => this.#setInteractive(true),
    })}
    ${this.notice ? renderClosable('', this.notice, close('notice')) : nothing}
    ${sessionId && this.failure ? renderClosable('failure', this.failure, close('failure')) : nothing}
    ${renderBypass(state, sessionId, () => this.#attempt(this.#client.setPermissionMode(sessionId, 'default')))}`;
  }

  #renderStart(state: ClientState) {
    return html`<parley-start
      .server=${state}
      .needs=${findNeeds(state)}
      ?isFirst=${this.place === 'first'}
      sending=${this.sending}
      failure=${this.failure}
      @parley-start=${(event: CustomEvent<Start>) => this.#startSession(event.detail)}
    ></parley-start>`;
  }

  async #start(): Promise<void> {
    const key = takeKey();
    const fault = key && (await logIn(key).catch(() => undefined)); // if the server is down, the banner says so
    if (key && fault !== undefined)
      this.loginFailure = 'code' in key ? usedAddress : 'The token in this address is invalid or has expired.';
    if (location.hash.startsWith('#login=')) {
      const { takeLoginFault } = await import('./login-fault.ts');
      this.loginFailure = this.failure = takeLoginFault() ?? '';
    }
    this.#client.start();
  }

  #startSession(start: Start): void {
    this.sending = start.text;
    const started = import('./start-session.ts')
      .then(({ startSession }) => startSession(this.#client, start, (sessionId) => this.#enter({ sessionId })))
      .finally(() => {
        this.sending = '';
      });
    this.#attempt(started, () => this.start?.giveBack(start.text));
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
    goTo({});
    void this.updateComplete.then(() => this.#focusMain());
  }

  /** Focuses the message box, or the view itself if it has no message box. */
  #focusMain(): void {
    this.renderRoot.querySelector<HTMLElement>(`main > :is(${views})`)?.focus();
  }

  /** Follows a command or the browser's back and forward buttons, then moves the focus: what had it may have left the page. */
  async #enter(route?: Route): Promise<void> {
    if (route) goTo(route);
    else this.#readRoute();
    await this.updateComplete;
    await this.#inbox?.then(() => this.updateComplete);
    if (!route && findFocus() !== document.body) return;
    if (isPointed()) this.#focusMain();
    else this.bar?.focusBack(); // focusing the message box would open a keyboard over the prompt
  }

  async #loadMore(): Promise<void> {
    this.hasMore = (await this.#client.loadMoreSessions()) > 0;
  }

  /** Follows a link; the focus moves along only if the list is a page of its own, and screen readers announce what was opened. */
  async #follow({ detail: route }: CustomEvent<Route>): Promise<void> {
    const { sessionId = '' } = this.route;
    goTo(route);
    await this.updateComplete;
    await Promise.all([this.bar?.updateComplete, this.list?.updateComplete]); // the focus may move to what appears
    const focus = findFocus();
    const stays = focus !== document.body && focus?.checkVisibility();
    if (stays) return announce(`Opened: ${nameView(this.#client.state, route) ?? 'the start page'}`);
    if (route.sessionId === undefined) this.list?.focusRow(sessionId);
    else this.bar?.focusBack();
  }

  /** Sends the choices that could still be undone, because their view is about to be left. */
  #sendChosen(): void {
    this.renderRoot.querySelector<SessionView | InboxPage>('parley-session-view, parley-inbox-page')?.sendChosen?.();
  }

  #readRoute(): void {
    this.#isFirstView = false;
    this.#sendChosen();
    this.route = readRoute();
    this.#setSignal();
  }

  #setInteractive(isInteractive: boolean): void {
    preferences.isInteractive = isInteractive;
    this.#attempt(this.#client.setInteractionEnabled(isInteractive));
  }

  async #save(session: Session, format: ExportFormat): Promise<void> {
    const { saveSession } = await import('./save-session.ts');
    await saveSession(this.#client, session, format);
  }

  #showPermissions({ detail }: CustomEvent<GrantLink | undefined>): void {
    void this.dialogs?.showPermissions(detail ?? undefined);
  }

  async #showPalette(): Promise<void> {
    if (!(await this.#load(import('./palette.ts')))) return;
    await this.renderRoot.querySelector<Palette>('parley-palette')?.open();
  }

  /** Waits for a part of the page. @returns whether it could be loaded; if not, a notice says so */
  async #load(part: Promise<unknown>): Promise<boolean> {
    if (await isLoaded(part)) return true;
    this.notice = 'A part of the page could not be loaded. Is the server running? Reload to try again.';
    return false;
  }

  #setSignal(): void {
    const { state } = this.#client;
    if (this.#epochs.isOther(state.welcome?.epoch))
      this.notice = 'The server began with other data. All that you see was read anew.';
    this.#news.tell(state);
    const name = nameView(state, this.route);
    this.#signal.set(name ? `${name} · Parley` : 'Parley', findNeeds(state).length);
  }

  #goToNext(): void {
    const { sessionId = '' } = this.route;
    const shown = this.view?.listCards() ?? [];
    const focused = shown.find((id) => this.view?.findCard(id)?.matches(':focus-within'));
    const next = findNextPrompt(findNeeds(this.#client.state), { sessionId, shown, focused });
    if (!next) return;
    const { interactionId } = next.interaction;
    const card = next.sessionId === sessionId ? this.view?.findCard(interactionId) : undefined;
    if (!card) goTo({ sessionId: next.sessionId, interactionId });
    card?.scrollIntoView({ block: 'nearest' });
    card?.focus();
  }

  #press(event: KeyboardEvent): void {
    if (isInDialog(event)) return;
    if (isPaletteKey(event)) {
      event.preventDefault();
      void this.#showPalette();
    }
    if (!isShortcut(event)) return;
    const focus = findFocus();
    const isUnfocused = !focus || focus === document.body || focus.role === 'log';
    if (event.key === 'n') this.#goToNext();
    else if (event.key === 'm') this.#focusMain();
    else if (event.key === '?') void this.dialogs?.show('help');
    else if (/^[1-9]$/.test(event.key) && isUnfocused) this.#choose(Number(event.key));
    else return;
    event.preventDefault();
  }

  #choose(n: number): void {
    const own = findOwnPrompts(this.#client.state).filter(({ sessionId }) => sessionId === this.route.sessionId);
    const card = own.length === 1 ? this.view?.findCard(own[0]?.interaction.interactionId ?? '') : undefined; // else which?
    card?.focus();
    card?.choose(n);
  }
}
