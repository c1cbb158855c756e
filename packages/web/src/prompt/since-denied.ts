import {
  type Annotation,
  type ComparedLine,
  compareVersions,
  type Denial,
  type EarlierVersion,
  findEarlierVersion,
  type InteractionItem,
  type Items,
  type PlacedAnnotation,
  placeAnnotations,
  type Subject,
} from '@parleyhq/core';
import { css, html, LitElement, nothing, type PropertyValues } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
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
  @state() private isOpen = false;
  #earlier: EarlierVersion | undefined;

  /** Once an earlier version was found, what else happens in the session does not matter. */
  protected override shouldUpdate(changed: PropertyValues<this>): boolean {
    return !(this.#earlier && changed.size === 1 && changed.has('items'));
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    const isOther = changed.has('current') && changed.get('current')?.interactionId !== this.current.interactionId;
    if (this.items && (isOther || !this.#earlier)) this.#earlier = findEarlierVersion(this.items, this.current);
  }

  override render() {
    const later = this.current.request?.payload.subject;
    if (!this.#earlier || !later) return nothing;
    const { subject, denials } = this.#earlier;
    const comments = denials.flatMap(({ annotations = [] }) => annotations);
    const isSame = subject.text === later.text;
    const words = html`${isSame ? 'The same text was denied before' : html`Changes since the version that ${this.#nameDenier(denials)} denied`}${comments.length > 0 ? ` with ${countComments(comments)}` : nothing}`;
    if (isSame && comments.length === 0 && denials.every(({ reason }) => !reason)) return html`<p>${words}</p>`;
    return html`<details @toggle=${this.#toggle}>
      <summary><span>${words}</span></summary>
      ${this.isOpen ? this.#renderInside(later, subject, denials) : nothing}
    </details>`;
  }

  /** Renders the comparison, which takes time for long texts, once it is wanted. */
  #renderInside(later: Subject, earlier: Subject, denials: readonly Denial[]) {
    const compared = compareVersions(earlier, later);
    const placed = placeAnnotations(
      denials.flatMap(({ annotations = [] }) => annotations),
      compared,
    );
    const reasons = denials.flatMap(({ reason }) => reason ?? []);
    const describe = (each: Annotation) => describePlace(placed.find(({ annotation }) => annotation === each));
    return html`${reasons.map((reason) => html`<p>Denied because: “${renderUntrusted(reason)}”</p>`)}
      ${earlier.text === later.text ? nothing : this.#renderChanges(compared)}
      ${placed.length > 0 ? html`<parley-remarks .annotations=${placed.map(({ annotation }) => annotation)} .describe=${describe}></parley-remarks>` : nothing}`;
  }

  #renderChanges(compared: readonly ComparedLine[]) {
    if (compared.every(({ kind }) => kind === 'same')) return html`<p>Only the ends of lines have changed.</p>`;
    return html`<div class="changes" tabindex="0" role="group" aria-label="Changes">
      <parley-diff .lines=${showChanges(compared)}></parley-diff>
    </div>`;
  }

  #nameDenier(denials: readonly Denial[]) {
    const [denial, ...others] = denials;
    if (!denial || others.length > 0) return 'people';
    return isSelf(denial.by, this.self) ? 'you' : (renderPerson(denial.by, this.self) ?? 'you');
  }

  #toggle({ target }: Event): void {
    this.isOpen ||= (target as HTMLDetailsElement).open;
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
