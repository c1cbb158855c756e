import { type Annotation, type InteractionRequest, nameLines, showHidden } from '@parleyhq/core';
import { html, nothing, type TemplateResult } from 'lit';

/** The comments after a change. */
export type CommentsEvent = CustomEvent<readonly Annotation[]>;

/** Returns "1 comment", "3 comments"; empty if there are none. */
export function countComments({ length }: readonly Annotation[] = []): string {
  return length === 0 ? '' : length === 1 ? '1 comment' : `${length} comments`;
}

/** Names a comment by its lines: "comment on line 3". */
export function nameComment(annotation: Annotation): string {
  return `comment on ${nameLines(annotation).toLowerCase()}`;
}

/** Renders the comments of an answer, each below the lines that it quotes (REV1). */
export function renderRemarks(annotations: readonly Annotation[] = []): TemplateResult | typeof nothing {
  if (annotations.length === 0) return nothing;
  return html`<ul class="remarks" aria-label="Comments">
    ${[...annotations]
      .sort((a, b) => a.lines[0] - b.lines[0])
      .map(
        (each) => html`<li>
          <span class="lines">${nameLines(each)}</span>
          <blockquote class="untrusted">${showHidden(each.quote)}</blockquote>
          ${each.comment ? html`<p class="untrusted">${showHidden(each.comment)}</p>` : nothing}
          ${renderReplacement(each)}
        </li>`,
      )}
  </ul>`;
}

function renderReplacement({ replacement }: Annotation) {
  if (replacement === undefined) return nothing;
  if (replacement === '') return html`<p>Delete this.</p>`;
  return html`<p>Replace this by:</p>
    <pre class="untrusted">${showHidden(replacement)}</pre>`;
}

/** Renders the lines of a prompt's subject with the comments on them, which can be changed. Its element is loaded by the caller. */
export function renderLines(
  { subject, toolName }: InteractionRequest,
  comments: readonly Annotation[],
  isDisabled: boolean,
  onChange: (comments: readonly Annotation[]) => void,
): TemplateResult {
  return html`<parley-line-comments
      .subject=${subject}
      .comments=${comments}
      ?isDisabled=${isDisabled}
      @parley-comments=${({ detail }: CommentsEvent) => onChange(detail)}
    ></parley-line-comments>
    ${toolName === 'permission' && comments.length > 0 ? html`<p class="unread">The program reads comments if you deny; with a yes it has no place for them.</p>` : nothing}`;
}
