import {
  type Annotation,
  findEarlierVersion,
  type InteractionItem,
  type Items,
  type PlacedAnnotation,
} from '@parleyhq/core';
import { css, html, LitElement, nothing, type PropertyValues } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import { disclosure } from '../styles/disclosure.ts';
import { isSelf, renderPerson, type Self } from '../ui/actor.ts';
import { showChanges } from '../ui/diff-lines.ts';
import '../ui/diff-view.ts';
import { renderUntrusted } from '../ui/untrusted-text.ts';
import { countComments } from './approval-draft.ts';
import './remarks.ts';

/**
 * What changed since an earlier version of a prompt's subject was denied, with the comments on that version. It is an aid to read
 * by: the answer is still to the whole subject (REV3).
 */
@customElement('parley-since-denied')
export class SinceDenied extends LitElement {
  static override styles = [
    base,
    controls,
    disclosure,
    css`
      .changes {
        max-height: max(7rem, min(40vh, 24rem));
        margin-block: var(--s2);
        overflow: auto;
        border: 1px solid var(--line);
        border-radius: var(--r-control);
      }
      p {
        margin-block: var(--s2);
        color: var(--ink-2);
      }
    `,
  ];

  @property({ attribute: false }) current!: InteractionItem;
  @property({ attribute: false }) items: Items | undefined;
  @property({ attribute: false }) self!: Self;
  #earlier: ReturnType<typeof findEarlierVersion>;

  protected override willUpdate(changed: PropertyValues<this>): void {
    const isOther = changed.has('current') && changed.get('current')?.interactionId !== this.current.interactionId;
    if (this.items && (isOther || !this.#earlier)) this.#earlier = findEarlierVersion(this.items, this.current);
  }

  override render() {
    if (!this.#earlier) return nothing;
    const { refused, compared, annotations } = this.#earlier;
    const { by, reason } = refused.payload;
    const isChanged = compared.some(({ kind }) => kind !== 'same');
    const who = isSelf(by, this.self) ? 'you' : (renderPerson(by, this.self) ?? 'you');
    const comments = annotations.map(({ annotation }) => annotation);
    return html`<details>
      <summary><span>${isChanged ? 'Changes' : 'Nothing has changed'} since ${who} denied it${comments.length > 0 ? ` with ${countComments(comments)}` : nothing}</span></summary>
      ${reason ? html`<p>Denied because: “${renderUntrusted(reason)}”</p>` : nothing}
      ${isChanged ? html`<div class="changes" tabindex="0" role="group" aria-label="Changes"><parley-diff .lines=${showChanges(compared)}></parley-diff></div>` : nothing}
      ${comments.length > 0 ? html`<parley-remarks .annotations=${comments} .describe=${(each: Annotation) => describePlace(annotations.find(({ annotation }) => annotation === each))}></parley-remarks>` : nothing}
    </details>`;
  }
}

/** Says where the lines of a comment are now, and whether they were changed. */
function describePlace(placed: PlacedAnnotation | undefined): string | undefined {
  if (!placed) return undefined;
  const { annotation, lines, isChanged } = placed;
  if (!lines) return 'changed';
  const [from, to] = lines;
  const words = isChanged ? 'changed' : 'not changed';
  if (from === annotation.lines[0] && to === annotation.lines[1]) return words;
  return `${words}, now ${from === to ? `line ${from}` : `lines ${from} to ${to}`}`;
}
