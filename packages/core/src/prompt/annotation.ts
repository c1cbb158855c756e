import { hasVisible } from '../basics/visible-text.ts';
import type { FileReference } from '../form/file.ts';
import { type Annotation, nameLines, splitLines } from './annotated-lines.ts';
import { describeAttachments } from './attachment.ts';

/** What an answer says in addition to the decision. */
export interface Remarks {
  readonly reason?: string | undefined;
  readonly annotations?: readonly Annotation[] | undefined;
  readonly files?: readonly FileReference[] | undefined;
}

/**
 * Writes annotations as Markdown, for agents and other programs: each as the quoted lines with its comment or replacement, in the order
 * of the lines (REV2). Undefined if there are none.
 */
export function describeAnnotations(annotations: readonly Annotation[] = []): string | undefined {
  if (annotations.length === 0) return undefined;
  return [...annotations]
    .sort((a, b) => a.lines[0] - b.lines[0])
    .map((annotation) => describeOne(annotation))
    .join('\n\n');
}

function describeOne({ quote, comment, replacement, ...place }: Annotation): string {
  const quoted = splitLines(quote).map((line) => `> ${line}`.trimEnd());
  const parts = [[`${nameLines(place)}:`, ...quoted].join('\n')];
  if (comment !== undefined && hasVisible(comment)) parts.push(comment);
  if (replacement === '') parts.push('Delete this.');
  else if (replacement !== undefined) parts.push(`Replace this by:\n${fenceCode(replacement)}`);
  return parts.join('\n\n');
}

/** Puts a text into a code block of Markdown that its own backticks cannot end. */
export function fenceCode(text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([ticks]) => ticks.length));
  const mark = '`'.repeat(longest + 1);
  return `${mark}\n${text}\n${mark}`;
}

/**
 * Returns all that a person said to an answer as one Markdown text: the reason, the annotations (REV2), the names of the files.
 * Undefined if nothing.
 */
export function wordsOf({ reason, annotations, files }: Remarks): string | undefined {
  const parts = [reason, describeAnnotations(annotations), describeAttachments(files)].filter(
    (part) => part !== undefined,
  );
  return parts.length > 0 ? parts.join('\n\n') : undefined;
}
