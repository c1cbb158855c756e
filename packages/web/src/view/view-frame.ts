import {
  canonicalise,
  type FormValues,
  type Json,
  limits,
  pathOfView,
  readViewMessage,
  type ShownView,
  TokenBucket,
  type ViewContent,
  type ViewMessage,
  viewHeight,
} from '@parleyhq/core';
import { css, html, type PropertyValues } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { findEmbedding } from '../browser/embedding.ts';
import { isDark } from '../browser/theme.ts';
import { base } from '../styles/base.ts';
import { GuardedElement } from '../ui/guarded-element.ts';
import { renderUntrusted } from '../ui/untrusted-text.ts';
import { KeptFocus } from './kept-focus.ts';

/** How long a page may take to report that it is ready, in ms. */
const patienceMs = 10_000;
/** No person causes more messages than this. */
const rate = { perSecond: 100, burst: 200 };

/**
 * A plugin's page in a frame without an origin, network or permissions (PLG10). Its messages are checked. If it sends too many,
 * none at all, or goes to another page, it is removed.
 * @fires parley-propose - the page proposes values
 * @fires parley-view-failed - the page is not shown, or no longer
 */
@customElement('parley-view')
export class ViewFrame extends GuardedElement {
  static override styles = [
    base,
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
        color: var(--ink-2);
        font: var(--text-secondary) var(--sans);
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
    this.#isReady = false;
    this.#loads = 0;
    this.#shown = '';
    window.addEventListener('message', this.#onMessage);
    if (findEmbedding(this))
      this.#fail('A view is shown on the server’s own page alone.'); // the other page's policy decides which frames it may have
    else this.#patience = setTimeout(() => this.#fail('It did not load.'), patienceMs);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    window.removeEventListener('message', this.#onMessage);
    clearTimeout(this.#patience);
  }

  get #frame(): HTMLIFrameElement | null {
    return this.renderRoot.querySelector('iframe');
  }

  protected override updated(changed: PropertyValues): void {
    if (changed.has('content') || changed.has('view')) this.#show();
  }

  override render() {
    const { plugin } = this.view;
    if (this.fault !== undefined)
      return html`<p role="status">The view of “${renderUntrusted(plugin)}” is not shown: ${this.fault}</p>`;
    return html`<iframe
      sandbox="allow-scripts"
      allow=""
      referrerpolicy="no-referrer"
      title="A view of the plugin ${plugin}"
      src=${pathOfView(this.view)}
      @load=${this.#load}
    ></iframe>`;
  }

  protected override firstUpdated(): void {
    this.#resize(this.view.height ?? viewHeight.usual);
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
    const { data = null } = this.view;
    const content: ViewContent<Json> = { data, ...this.content, theme: isDark() ? 'dark' : 'light' };
    const words = canonicalise(content);
    if (words === this.#shown) return;
    this.#shown = words;
    this.#frame?.contentWindow?.postMessage({ type: 'show', content }, '*'); // an opaque origin has no name
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
