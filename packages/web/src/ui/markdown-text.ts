import { showHidden } from '@parleyhq/core';
import { css, html, LitElement } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { findMoment } from '../browser/idle.ts';
import { base } from '../styles/base.ts';
import { FrameBudget } from './frame-budget.ts';

/** The parser is a fifth of the page's code, and is loaded after the first screen. If it cannot be loaded, text stays plain. */
let renderMarkdown: typeof import('./markdown.ts').renderMarkdown | undefined;

/** How long loading the parser may wait for an idle page, in ms. */
const longestWait = 500;

/** Loaded when the page is idle, after the rows of a session are rendered. */
const parser = findMoment(longestWait)
  .then(() => import('./markdown.ts'))
  .then(
    (module) => {
      renderMarkdown = module.renderMarkdown;
    },
    () => undefined,
  );

/**
 * Characters formatted per frame, and the fixed cost of each text, in characters, because even a short one takes time.
 * Without the limit, a page of large texts would block the tab for seconds.
 */
const [charactersPerFrame, charactersPerText] = [32 * 1024, 4 * 1024];
const frames = new FrameBudget(charactersPerFrame, (run) => requestAnimationFrame(run));

/** Renders a model's Markdown. */
@customElement('parley-markdown')
export class MarkdownText extends LitElement {
  static override styles = [
    base,
    css`
      :host {
        overflow-wrap: anywhere;
      }
      .plain {
        white-space: pre-wrap;
      }
      .untrusted > * + * {
        margin-top: 0.7em;
      }
      [role="heading"] {
        font: 600 0.9375rem/1.5rem var(--sans);
      }
      .h1,
      .h2 {
        font-size: 1rem;
      }
      ul,
      ol {
        padding-inline-start: 1.4em;
      }
      ul {
        list-style: disc;
      }
      ol {
        list-style: decimal;
      }
      li + li {
        margin-top: 0.2em;
      }
      code {
        font: 400 0.875em/1 var(--mono);
        background: var(--sunken);
        border: 1px solid var(--line);
        border-radius: 4px;
        padding: 0.05em 0.3em;
      }
      blockquote {
        margin-inline: 0;
        padding-inline-start: var(--s3);
        border-inline-start: 2px solid var(--line-strong);
        color: var(--ink-2);
      }
      .table {
        overflow-x: auto;
      }
      table {
        border-collapse: collapse;
        font-size: 0.875rem;
      }
      th,
      td {
        border: 1px solid var(--line);
        padding: 0.3rem 0.6rem;
        text-align: start;
      }
      hr {
        border: 0;
        border-top: 1px solid var(--line);
      }
    `,
  ];

  @property({ attribute: false }) text = '';

  /** False until the text's turn has come, so that many texts do not block the page. */
  @state() private isFormatted = false;
  #isAsked = false;

  override connectedCallback(): void {
    super.connectedCallback();
    if (!renderMarkdown) void parser.then(() => this.requestUpdate());
  }

  protected override willUpdate(): void {
    if (!renderMarkdown || this.#isAsked) return;
    this.#isAsked = true;
    frames.run(charactersPerText + this.text.length, () => {
      this.isFormatted = true;
    });
  }

  override render() {
    if (!renderMarkdown || !this.isFormatted)
      return html`<div class="untrusted plain" dir="auto">${showHidden(this.text)}</div>`;
    return html`<div class="untrusted" dir="auto">${renderMarkdown(this.text)}</div>`;
  }
}
