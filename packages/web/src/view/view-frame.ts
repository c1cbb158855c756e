import {
  canonicalise,
  type FormValues,
  type Json,
  limits,
  pathOfView,
  readViewMessage,
  type ShownView,
  showHidden,
  TokenBucket,
  type ViewContent,
  type ViewMessage,
  viewHeight,
} from '@parleyhq/core';
import { css, html, nothing, type PropertyValues } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { findEmbedding } from '../browser/embedding.ts';
import { isDark } from '../browser/theme.ts';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import { GuardedElement } from '../ui/guarded-element.ts';
import { renderUntrusted } from '../ui/untrusted-text.ts';
import { hearApp, showInput } from './app-host.ts';
import { KeptFocus } from './kept-focus.ts';

/** How long a page may take to report that it is ready, in ms. */
const patienceMs = 10_000;
/** No person causes more messages than this. */
const rate = { perSecond: 100, burst: 200 };

/**
 * A plugin's page in a frame without an origin, network or permissions (PLG10). Its messages are checked. If it sends too many,
 * none at all, or goes to another page, it is removed. The page of an MCP server may use the origins that the card names, so it
 * is shown the call only once somebody wants to see it (AGT4).
 * @fires parley-propose - the page proposes values
 * @fires parley-view-failed - the page is not shown, or no longer
 */
@customElement('parley-view')
export class ViewFrame extends GuardedElement {
  static override styles = [
    base,
    controls,
    css`
      :host {
        display: block;
      }
      iframe {
        display: block;
        inline-size: 100%;
        border: 1px solid var(--line);
        border-radius: var(--r-control);
        background: var(--surface);
      }
      p {
        margin-block: var(--s2);
        color: var(--ink-2);
        font: var(--text-secondary) var(--sans);
        overflow-wrap: anywhere;
      }
    `,
  ];

  @property({ attribute: false }) view!: ShownView;
  /** What the page shows in addition to its data. */
  @property({ attribute: false }) content: Omit<ViewContent, 'data' | 'theme'> = {
    values: {},
    fieldErrors: {},
    isDisabled: true,
  };

  @state() private fault: string | undefined;
  @state() private isWanted = false;
  #isReady = false;
  #loads = 0;
  /** JSON of what was last shown. */
  #shown = '';
  #patience: ReturnType<typeof setTimeout> | undefined;
  readonly #messages = new TokenBucket(rate);
  readonly #focus = new KeptFocus(
    () => this.#frame,
    () => this.#fail('It takes the focus.'),
  );

  constructor() {
    super();
    this.addController(this.#focus);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#reset();
    window.addEventListener('message', this.#onMessage);
    if (findEmbedding(this))
      this.#fail('A view is shown on the server’s own page alone.'); // the other page's policy decides which frames it may have
    else this.#wait();
  }

  #reset(): void {
    this.#isReady = false;
    this.#loads = 0;
    this.#shown = '';
  }

  #wait(): void {
    clearTimeout(this.#patience);
    this.#patience = setTimeout(() => this.#isShown && this.#fail('It did not load.'), patienceMs);
  }

  /** Whether the page may load: one that can send what it is shown elsewhere has to be wanted first. */
  get #isShown(): boolean {
    return this.isWanted || this.#origins.length === 0;
  }

  get #origins(): readonly string[] {
    const { connects = [], loads = [] } = this.view.app ?? {};
    return [...new Set([...connects, ...loads])];
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    window.removeEventListener('message', this.#onMessage);
    clearTimeout(this.#patience);
  }

  get #frame(): HTMLIFrameElement | null {
    return this.renderRoot.querySelector('iframe');
  }

  /** Another page in place of the first one, as after an edit, is not wanted just because the first one was. */
  protected override willUpdate(changed: PropertyValues<this>): void {
    const before = changed.get('view');
    if (!before || pathOfView(before) === pathOfView(this.view)) return;
    this.isWanted = false;
    this.fault = undefined;
    this.#reset();
    this.#wait();
  }

  protected override updated(changed: PropertyValues): void {
    if (changed.has('isWanted')) this.#resize(this.view.height ?? viewHeight.usual);
    if (changed.has('content') || changed.has('view')) this.#show();
  }

  override render() {
    const { plugin, app } = this.view;
    const author = renderUntrusted(app?.server ?? plugin);
    if (this.fault !== undefined) return html`<p role="status">The view of “${author}” is not shown: ${this.fault}</p>`;
    const reach = renderReach(this.#origins);
    if (!this.#isShown)
      return html`<p>“${author}” has a view of this call.${reach}</p>
        <button type="button" @click=${this.#want}>Show the view</button>`;
    return html`<iframe
        sandbox="allow-scripts"
        allow=""
        referrerpolicy="no-referrer"
        title=${app ? `A view of the MCP server ${showHidden(app.server)}` : `A view of the plugin ${plugin}`}
        src=${pathOfView(this.view)}
        @load=${this.#load}
      ></iframe>
      ${app ? html`<p>A view of “${author}”.${reach}</p>` : nothing}`;
  }

  #want(): void {
    this.isWanted = true;
    this.#wait();
  }

  /** A second page in the frame no longer is the plugin's. */
  #load(): void {
    this.#loads += 1;
    if (this.#loads > 1) this.#fail('It went to another page.');
  }

  readonly #onMessage = ({ source, data }: MessageEvent): void => {
    const frame = this.#frame;
    if (!frame || source === null || source !== frame.contentWindow) return;
    if (this.#messages.take(performance.now())) this.#read(data);
    else this.#fail('It says too much.');
  };

  #read(data: unknown): void {
    if (this.view.app) this.#hear(data);
    else this.#readOwn(data);
  }

  #hear(data: unknown): void {
    const { answer, isReady, height } = hearApp(data, { theme: this.#theme, locale: navigator.language });
    if (answer) this.#post(answer);
    if (isReady) this.#greet();
    if (height !== undefined) this.#resize(height);
  }

  #readOwn(data: unknown): void {
    let message: ViewMessage | undefined;
    try {
      message = readViewMessage(data);
    } catch {
      this.#fail('It proposes too much.'); // the value is not finite
    }
    if (message?.type === 'ready') this.#greet();
    else if (message?.type === 'resize') this.#resize(message.height);
    else if (message?.type === 'propose') this.#pass(message.values);
  }

  #greet(): void {
    this.#isReady = true;
    clearTimeout(this.#patience);
    this.#show();
  }

  #pass(values: FormValues): void {
    if (JSON.stringify(values).length > limits.valueBytes) this.#fail('It proposes too much.');
    else this.#fire('parley-propose', values);
  }

  #show(): void {
    if (!this.#isReady || this.fault !== undefined) return;
    const { data = null, app } = this.view;
    const content: ViewContent<Json> = { data, ...this.content, theme: this.#theme };
    const message = app ? showInput(data) : { type: 'show', content };
    const words = canonicalise(message);
    if (words === this.#shown) return;
    this.#shown = words;
    this.#post(message);
  }

  get #theme(): 'light' | 'dark' {
    return isDark() ? 'dark' : 'light';
  }

  #post(message: object): void {
    this.#frame?.contentWindow?.postMessage(message, '*'); // an opaque origin has no name
  }

  #resize(height: number): void {
    const frame = this.#frame;
    if (!frame || !Number.isFinite(height)) return;
    frame.style.blockSize = `${Math.round(Math.min(viewHeight.most, Math.max(viewHeight.least, height)))}px`;
  }

  #fail(fault: string): void {
    clearTimeout(this.#patience);
    this.fault = fault;
    this.#fire('parley-view-failed', undefined);
  }

  #fire(type: 'parley-propose' | 'parley-view-failed', detail: FormValues | undefined): void {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
  }
}

/** Renders the addresses that a page can reach. */
function renderReach(origins: readonly string[]) {
  if (origins.length === 0) return nothing;
  const names = origins.map((origin, index) => html`${index > 0 ? ', ' : ''}${renderUntrusted(origin)}`);
  return html` It may load from these addresses, and send them what it shows: ${names}.`;
}
