import type { ParleyClient, SessionClient } from '@parleyhq/client';
import { closeCodes, RefusalError } from '@parleyhq/core';
import { html, LitElement, nothing } from 'lit';
import { property } from 'lit/decorators.js';
import { keyed } from 'lit/directives/keyed.js';
import type { Embedding } from '../browser/embedding.ts';
import { swallowStrayKeys } from '../browser/ignored-shortcuts.ts';
import { readRoute } from '../browser/route.ts';
import type { JointAnswer } from '../dialogs/review-dialog.ts';
import type { RespondEvent } from '../prompt/interaction-card.ts';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import { noticeStyles } from '../ui/notice-styles.ts';
import { renderConnection, renderNotice } from '../ui/notices.ts';
import { FrameController } from '../ui/session-controller.ts';
import { watchAnswer } from './answer-watch.ts';
import { innerEvents } from './inner-events.ts';
import type { ParleyElement, ParleyEventMap, ParleyOpen } from './public.ts';
import { SharedClient } from './shared-client.ts';
import { embedStyles } from './styles.ts';

/** The view inside the element. */
interface View extends Element {
  /** Sends a choice that could still be undone, before the view is left. */
  sendChosen?(): void;
}

/**
 * Base class of the elements for other sites' pages. It holds the connection, shows notices about it, and fires the public
 * events.
 */
export abstract class EmbeddedElement extends LitElement implements ParleyElement, Embedding {
  static override styles = [base, controls, noticeStyles, embedStyles];

  @property() server = '';
  @property() token: string | undefined;
  @property({ reflect: true }) theme: 'light' | 'dark' | undefined;
  #held: { readonly shared: SharedClient; readonly for: string } | undefined;
  #watching = new AbortController();
  #stop: (() => void) | undefined;
  readonly #frames = new FrameController(this);

  get home(): string {
    const isKnown = this.server !== '' && URL.canParse(this.server, location.href);
    if (!isKnown) return '';
    const { origin, pathname } = new URL(this.server, location.href);
    return `${origin}${pathname.replace(/\/+$/, '')}`; // a server may be mounted below a path of another one (TRN3)
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#watching = new AbortController();
    addEventListener('pagehide', () => this.#sendChosen(), { signal: this.#watching.signal });
    swallowStrayKeys(this, this.#watching.signal);
    this.requestUpdate();
  }

  override disconnectedCallback(): void {
    this.#sendChosen();
    super.disconnectedCallback();
    this.#watching.abort();
    this.#letGo();
  }

  protected override createRenderRoot(): HTMLElement | DocumentFragment {
    const root = super.createRenderRoot();
    root.addEventListener('parley-respond', (event) => this.#followAnswer(event as RespondEvent), { capture: true });
    root.addEventListener('parley-all', (event) => this.#followAnswers(event as JointAnswer), { capture: true });
    root.addEventListener('click', (event) => this.#followLink(event as MouseEvent), { capture: true });
    for (const name of innerEvents) root.addEventListener(name, (event) => event.stopPropagation());
    return root;
  }

  protected override willUpdate(): void {
    this.#connect();
  }

  override render() {
    const client = this.#held?.shared.client;
    if (!client) return nothing;
    return html`<div part="notice">${this.#renderNotice(client)}</div>
      ${keyed(client, html`<div class="room" ?inert=${client.state.connection === 'refused'}>${this.renderView(client)}</div>`)}`;
  }

  protected abstract renderView(client: ParleyClient): unknown;

  /**
   * Follows what the element shows, and fires events about it. Called again when `subject` changes. @returns a function that
   * stops it
   */
  protected abstract follow(client: ParleyClient): () => void;

  /** Identifies what this element shows on its server. When it changes, the new subject is followed. */
  protected abstract get subject(): string;

  protected fire<Name extends keyof ParleyEventMap>(name: Name, detail: ParleyEventMap[Name]['detail']): boolean {
    return this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true, cancelable: true }));
  }

  /** Returns the session of a prompt that is answered in this element. */
  protected abstract findSession(client: ParleyClient, interactionId: string): string | undefined;

  #connect(): void {
    const wanted = JSON.stringify([this.home, this.token, this.subject]);
    if (!this.isConnected || this.#held?.for === wanted) return;
    const last = this.#held?.shared;
    this.#held = undefined;
    this.#stop?.();
    if (this.home) this.#hold(wanted);
    last?.release(); // after holding the new client, which may be the same one
  }

  #hold(wanted: string): void {
    const shared = SharedClient.hold(this.home, this.token || undefined);
    const { client } = shared;
    this.#held = { shared, for: wanted };
    let reported = client.state.connection;
    const stopConnection = client.subscribe(() => {
      const { connection } = client.state;
      if (connection !== reported && connection === 'refused') this.#reportRefusal(client);
      reported = connection;
      this.#frames.redraw();
    });
    const stopView = this.follow(client);
    this.#stop = () => {
      stopConnection();
      stopView();
    };
  }

  #letGo(): void {
    this.#stop?.();
    this.#stop = undefined;
    this.#held?.shared.release();
    this.#held = undefined;
  }

  #sendChosen(): void {
    this.renderRoot.querySelector<View>('.room > *')?.sendChosen?.();
  }

  #renderNotice(client: ParleyClient) {
    const { connection, closeCode } = client.state;
    if (connection === 'refused') return renderNotice('failure', isTooOld(closeCode) ? tooOld : refused);
    const reconnect = () => client.reconnectNow();
    return renderConnection(client.state, { reconnect, answerHere: () => void client.setInteractionEnabled(true) });
  }

  #reportRefusal({ state: { closeCode } }: ParleyClient): void {
    if (isTooOld(closeCode)) this.fire('parley-error', { code: 'unsupported_protocol', message: tooOld });
    else this.fire('parley-error', { code: 'unauthorised', message: refused });
  }

  #followAnswer({ detail: { request } }: RespondEvent): void {
    this.#follow(request.interactionId);
  }

  #followAnswers({ detail: { requests } }: JointAnswer): void {
    for (const { interactionId } of requests) this.#follow(interactionId);
  }

  /**
   * Fires an event for the result of an answer, and keeps the connection until then: the element may be removed before the result
   * arrives.
   */
  #follow(interactionId: string): void {
    const shared = this.#held?.shared;
    const sessionId = shared && this.findSession(shared.client, interactionId);
    if (!shared || sessionId === undefined) return;
    const session: SessionClient = shared.client.open(sessionId);
    shared.retain();
    void watchAnswer(session, interactionId)
      .then((outcome) => {
        if (!outcome) return;
        const { answer, error } = outcome;
        if (error) this.fire('parley-error', describe(error));
        else this.fire('parley-answered', { sessionId, interactionId, action: answer.action });
      })
      .finally(() => {
        session.close();
        shared.release();
      });
  }

  /** Lets the page around handle a link to another part of Parley, because the address of that page must not change. */
  #followLink(event: MouseEvent): void {
    const link = event.composedPath().find((target) => target instanceof HTMLAnchorElement);
    if (!link?.href.startsWith(`${this.home}/`) || event.button !== 0) return;
    event.preventDefault();
    event.stopPropagation();
    const { sessionId, interactionId } = readRoute(link.href.slice(this.home.length).replace(/[?#].*$/, ''));
    const detail: ParleyOpen = {
      url: link.href,
      ...(sessionId !== undefined && { sessionId }),
      ...(interactionId !== undefined && { interactionId }),
    };
    if (this.fire('parley-open', detail)) window.open(link.href, '_blank', 'noopener,noreferrer');
  }
}

const refused = 'The server does not let this page in: its token is invalid, or has expired.';
const tooOld = 'The server is of another release than this page. Reload the page.';

const isTooOld = (closeCode: number | undefined): boolean => closeCode === closeCodes.upgradeRequired;

function describe(error: Error) {
  return { code: error instanceof RefusalError ? error.code : 'internal', message: error.message };
}
