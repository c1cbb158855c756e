import { type Subject, showHidden } from '@parleyhq/core';
import { css, html, LitElement } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { base } from '../styles/base.ts';
import '../transcript/markdown-text.ts';

const labels: Record<Subject['kind'], string> = {
  text: 'Details',
  command: 'Command',
  json: 'Data',
  diff: 'Changes',
  markdown: 'Text',
};

/**
 * Exactly what is asked about: all of it, in a scrolling box of its own, as plain text. Markdown is formatted besides, for that
 * hides where links lead and what they are called (SEC5).
 */
@customElement('parley-subject')
export class SubjectBlock extends LitElement {
  static override styles = [
    base,
    css`
      figure {
        margin: 0;
      }
      figcaption {
        font-size: 0.75rem;
        color: var(--ink-2);
        margin-bottom: 0.25rem;
      }
      pre {
        font: 400 0.8125rem/1.55 var(--mono);
        white-space: pre-wrap;
        tab-size: 4;
      }
      pre,
      .formatted {
        background: var(--sunken);
        border: 1px solid var(--line);
        border-radius: var(--radius-small);
        padding: 0.7rem 0.85rem;
        max-height: min(40vh, 24rem);
        overflow: auto;
        overflow-wrap: anywhere;
      }
      .formatted {
        font-size: 0.875rem;
      }
      summary {
        cursor: pointer;
        font-size: 0.75rem;
        color: var(--ink-2);
        padding-block: 0.35rem;
      }
      .diff {
        padding-inline: 0;
      }
      .diff span {
        display: block;
        padding-inline: 0.85rem;
      }
      .added {
        background: var(--ok-soft);
        color: var(--ok);
      }
      .removed {
        background: var(--danger-soft);
        color: var(--danger);
      }
      .command::before {
        content: "$ ";
        color: var(--ink-3);
      }
    `,
  ];

  @property({ attribute: false }) subject!: Subject;

  override render() {
    const { kind, text } = this.subject;
    if (kind === 'markdown') return renderFormatted(text);
    return html`<figure>
      <figcaption id="name">${labels[kind]}</figcaption>
      <pre class="${kind} untrusted" tabindex="0" role="group" aria-labelledby="name">${this.#renderText()}</pre>
    </figure>`;
  }

  #renderText() {
    const { kind, text } = this.subject;
    if (kind === 'json') return showHidden(indent(text));
    if (kind !== 'diff') return showHidden(text);
    return text.split('\n').map((line) => html`<span class=${classOf(line)}>${showHidden(line) || ' '}</span>`);
  }
}

function renderFormatted(text: string) {
  return html`<figure>
    <figcaption id="name">${labels.markdown}</figcaption>
    <div class="formatted" tabindex="0" role="group" aria-labelledby="name">
      <parley-markdown .text=${text}></parley-markdown>
    </div>
    <details>
      <summary>As it was written</summary>
      <pre class="untrusted" tabindex="0" role="group" aria-label="As it was written">${showHidden(text)}</pre>
    </details>
  </figure>`;
}

function classOf(line: string): string {
  if (/^\+(?!\+\+)/.test(line)) return 'added';
  return /^-(?!--)/.test(line) ? 'removed' : '';
}

/** Indents JSON if that changes white space only: people consent to exactly these bytes (APR2). */
function indent(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(value) === text ? JSON.stringify(value, null, 2) : text;
  } catch {
    return text;
  }
}
