import type { ClientState } from '@parleyhq/client';
import { type InboxEntry, type ServerFrameOf, showHidden } from '@parleyhq/core';
import { css, html, LitElement, nothing, type PropertyValues } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import type { BeginEvent, Composer, MessageDraft } from '../session/composer.ts';
import { renderWaiting } from '../session/composer.ts';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import { renderUntrusted } from '../ui/untrusted-text.ts';
import './waiting-list.ts';

type Offer = ServerFrameOf<'welcome'>['agents'][number];

/** A session to be started. */
export interface Start {
  readonly text: string;
  /** Undefined for the server's default. */
  readonly agent: string | undefined;
  /** Files for the message, which are not uploaded yet. */
  readonly files?: readonly File[];
}

/**
 * The view without a session: what Parley is, and how to begin.
 * @fires parley-start - start a session with this message
 */
@customElement('parley-start')
export class StartPage extends LitElement {
  static override styles = [
    base,
    controls,
    css`
      :host {
        overflow-y: auto;
      }
      .column {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        align-content: safe center;
        gap: var(--s5);
        min-height: 100%;
        max-width: calc(var(--column) + 2 * var(--edge));
        margin-inline: auto;
        padding: var(--s6) var(--edge) max(var(--s6), 10vh);
      }
      h1 {
        font: var(--text-hero) var(--sans);
        letter-spacing: -0.02em;
        text-wrap: balance;
      }
      h1:focus {
        outline: none;
      }
      .hero p {
        margin-top: var(--s2);
        color: var(--ink-2);
        text-wrap: pretty;
      }
      .begin {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        gap: var(--s3);
      }
      .agent {
        display: flex;
        align-items: center;
        gap: var(--s3);
      }
      .agent p {
        min-width: 0;
        overflow: hidden;
        font: 400 var(--text-meta) var(--sans);
        color: var(--ink-3);
        text-overflow: ellipsis;
        white-space: nowrap;
      }
      label {
        flex: none;
        display: inline-flex;
        align-items: center;
        gap: var(--s2);
        font: 400 var(--text-secondary) var(--sans);
        color: var(--ink-2);
      }
      select {
        width: auto;
        border-color: color-mix(in srgb, var(--ink) 16%, transparent);
        padding-inline: var(--s2);
        font: 500 var(--text-secondary) var(--sans);
      }
      @media (pointer: coarse) {
        select {
          font-size: 1rem; /* iOS zooms into less */
        }
      }
      h2,
      #try {
        margin-bottom: var(--s2);
        font: 500 var(--text-meta) var(--sans);
        color: var(--ink-3);
      }
      .examples {
        display: grid;
        grid-template-columns: repeat(3, minmax(0, 1fr));
        gap: var(--s2);
      }
      .examples p {
        grid-column: 1 / -1;
        margin-bottom: 0;
      }
      .examples button {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        align-content: start;
        justify-items: start;
        gap: var(--s1);
        padding: var(--s3);
        border-color: var(--line);
        text-align: start;
      }
      .examples button:hover {
        border-color: var(--line-strong);
        background: var(--surface);
      }
      .examples .untrusted {
        max-width: none;
        white-space: normal;
      }
      .examples span::first-letter {
        text-transform: uppercase;
      }
      .examples span {
        display: block;
      }
      code {
        font: 400 var(--text-meta) var(--mono);
        color: var(--ink-2);
        overflow-wrap: anywhere;
      }
      [role="status"] {
        justify-self: end;
        max-width: 85%;
        color: var(--ink-2);
        white-space: pre-wrap;
        overflow-wrap: anywhere;
      }
      .failure {
        color: var(--danger);
      }
      @media (max-width: 34rem) {
        .examples {
          grid-template-columns: minmax(0, 1fr);
        }
      }
      /* When the list is a page of its own, only the message box fits below it. */
      @media (max-width: 48rem) {
        .column {
          padding: var(--s4);
        }
        :host(:not([isfirst])) {
          border-top: 1px solid var(--line);
        }
        :host(:not([isfirst])) .column {
          padding-block: var(--s3) max(var(--s3), env(safe-area-inset-bottom));
        }
        :host(:not([isfirst])) .hero {
          position: absolute;
          clip-path: inset(50%);
        }
        :host(:not([isfirst])) .teach {
          display: none;
        }
      }
    `,
  ];

  @property({ attribute: false }) server!: ClientState;
  /** Open prompts that wait for this person. */
  @property({ attribute: false }) needs: readonly InboxEntry[] = [];
  /** Whether nobody has started a session yet. */
  @property({ type: Boolean, reflect: true }) isFirst = false;
  /** First message of a session that is being created. */
  @property() sending = '';
  @property() failure = '';

  /** Agent chosen for the next session; empty for the default. */
  @state() private agent = '';
  @query('parley-composer') private composer!: Composer | null;

  override focus(): void {
    if (this.composer) void this.composer.focus();
    else this.renderRoot.querySelector('h1')?.focus();
  }

  giveBack(text: string): void {
    this.composer?.giveBack({ text });
  }

  protected override willUpdate(_: PropertyValues<this>): void {
    if (this.#hasSample) void import('./sample-prompt.ts').catch(() => undefined); // without it the page still works
  }

  override render() {
    const { welcome, connection } = this.server;
    if (!welcome) return nothing;
    const { role, sessions } = welcome.principal;
    if (role === 'viewer' || sessions) return this.#renderOnlooker();
    return html`<div class="column">
      ${this.#renderWaiting()}
      <div class="hero">
        <h1>What should the agent do?</h1>
        <p>It stops and asks when it needs a decision. Answer from any tab: the first answer counts.</p>
      </div>
      <div class="begin">
        <parley-composer sessionId="new" ?takesFocus=${this.needs.length === 0} @parley-send=${({ detail }: CustomEvent<MessageDraft>) => this.#start(detail.text)} @parley-begin=${({ detail }: BeginEvent) => this.#start(detail.text, detail.files)}></parley-composer>
        ${welcome.agents.length > 1 ? this.#renderAgents(welcome.agents) : nothing}
        ${this.sending && connection !== 'open' ? renderWaiting(this.sending) : nothing}
        ${this.failure ? html`<p class="failure" role="alert">${renderUntrusted(this.failure)}</p>` : nothing}
      </div>
      ${this.#hasSample ? this.#renderSample() : nothing} ${this.needs.length > 0 ? nothing : this.#renderExamples()}
      <parley-own-agent class="teach" ?isOpen=${this.isFirst}></parley-own-agent>
    </div>`;
  }

  #renderWaiting() {
    if (this.needs.length === 0) return nothing;
    const titleOf = ({ sessionId, sessionTitle }: InboxEntry) =>
      this.server.sessions.find(({ id }) => id === sessionId)?.title ?? sessionTitle ?? 'Another session';
    return html`<parley-waiting class="teach" .entries=${this.needs} .titleOf=${titleOf}></parley-waiting>`;
  }

  #renderOnlooker() {
    return html`<div class="column">
      ${this.#renderWaiting()}
      <div class="hero">
        <h1 tabindex="-1">${this.server.sessions.length > 0 ? 'Choose a session' : 'No session yet'}</h1>
        <p>${this.server.sessions.length > 0 ? 'Your token does not let you start one.' : 'Sessions appear here when somebody starts one; your token does not let you.'}</p>
      </div>
    </div>`;
  }

  #renderAgents(agents: readonly Offer[]) {
    const choose = ({ target }: Event) => {
      this.agent = (target as HTMLSelectElement).value;
    };
    const { description } = this.#chosen ?? {};
    return html`<div class="agent">
      <label>
        Agent
        <select aria-describedby=${description ? 'agent' : nothing} @change=${choose}>
          ${agents.map(({ name }) => html`<option value=${name} class="untrusted">${showHidden(name)}</option>`)}
        </select>
      </label>
      ${description ? html`<p id="agent">${renderUntrusted(description)}</p>` : nothing}
    </div>`;
  }

  #renderSample() {
    return html`<section class="teach" aria-labelledby="sample">
      <h2 id="sample">This is how an agent asks</h2>
      <parley-sample .principal=${this.server.welcome?.principal}></parley-sample>
    </section>`;
  }

  /** Renders the agent's suggestions; one click sends them. */
  #renderExamples() {
    const { examples } = this.#chosen ?? {};
    if (!examples) return nothing;
    return html`<div class="examples teach" role="group" aria-labelledby="try">
      <p id="try">Things to try</p>
      ${examples.map(
        ({ text, about }) => html`<button @click=${() => this.#start(text)}>
          <span>${renderUntrusted(about)}</span><code>${renderUntrusted(text)}</code>
        </button>`,
      )}
    </div>`;
  }

  get #chosen(): Offer | undefined {
    const { agents = [] } = this.server.welcome ?? {};
    return agents.find(({ name }) => name === this.agent) ?? agents[0];
  }

  /** Whether to show a sample prompt, so that newcomers find something to answer at once. */
  get #hasSample(): boolean {
    return this.isFirst && (this.server.welcome?.agents.some(({ name }) => name === 'demo') ?? false);
  }

  #start(text: string, files: readonly File[] = []): void {
    const detail: Start = { text, agent: this.agent || undefined, files };
    this.dispatchEvent(new CustomEvent('parley-start', { detail, bubbles: true, composed: true }));
  }
}
