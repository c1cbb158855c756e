import { type Annotation, nameLines, showHidden } from '@parleyhq/core';
import { css, html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { base } from '../styles/base.ts';

/** The comments of an answer, each below the lines that it quotes (REV1). */
@customElement('parley-remarks')
export class Remarks extends LitElement {
  static override styles = [
    base,
    css`
      ul {
        display: grid;
        gap: var(--s3);
      }
      li {
        display: grid;
        gap: var(--s1);
        color: var(--ink);
      }
      .lines {
        color: var(--ink-3);
      }
      :is(blockquote, pre) {
        max-height: 12rem;
        margin: 0;
        overflow: auto;
        border-inline-start: 2px solid var(--line-strong);
        padding-inline-start: var(--s2);
        font: 400 0.8125rem/1.5 var(--mono);
        color: var(--ink-2);
        white-space: pre-wrap;
        overflow-wrap: anywhere;
      }
    `,
  ];

  @property({ attribute: false }) annotations: readonly Annotation[] = [];
  /** What to say about the lines of each in addition. */
  @property({ attribute: false }) describe: (annotation: Annotation) => string | undefined = () => undefined;

  override render() {
    return html`<ul aria-label="Comments">
      ${[...this.annotations].sort((a, b) => a.lines[0] - b.lines[0]).map((each) => renderRemark(each, this.describe(each)))}
    </ul>`;
  }
}

function renderRemark(annotation: Annotation, note: string | undefined) {
  const { quote, comment, replacement } = annotation;
  return html`<li>
    <span class="lines">${nameLines(annotation)}${note === undefined ? nothing : `: ${note}`}</span>
    <blockquote class="untrusted">${showHidden(quote)}</blockquote>
    ${comment ? html`<p class="untrusted">${showHidden(comment)}</p>` : nothing}
    ${replacement === '' ? html`<p>Delete this.</p>` : replacement === undefined ? nothing : html`<p>Replace this by:</p><pre class="untrusted">${showHidden(replacement)}</pre>`}
  </li>`;
}
