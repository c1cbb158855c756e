import { hasVisible } from '../basics/visible-text.ts';
import { type Annotated, type Annotation, nameLines, quoteFrom, splitLines } from './annotated-lines.ts';
import type { Remarks } from './annotation.ts';

/** Limits of the annotations of one answer: how many, and the bytes of their JSON as UTF-8 (REV1). */
export const maxAnnotations = 100;
export const maxAnnotationBytes = 32 * 1024;

/** Returns why these annotations cannot go with an answer about this subject, as a sentence; undefined if they can (REV1). */
export function findAnnotationFault(
  subject: Annotated | undefined,
  annotations: readonly Annotation[],
): string | undefined {
  if (annotations.length === 0) return undefined;
  if (!subject) return 'This prompt shows nothing that could be annotated.';
  if (annotations.length > maxAnnotations) return `Must be at most ${maxAnnotations} annotations.`;
  const bytes = new TextEncoder().encode(JSON.stringify(annotations)).length;
  if (bytes > maxAnnotationBytes) return `Must be at most ${maxAnnotationBytes / 1024} KiB together.`;
  const shown = splitLines(subject.text);
  for (const annotation of annotations) {
    const fault = findFault(subject, shown, annotation);
    if (fault) return `${nameLines(annotation)}: ${fault}`;
  }
  return undefined;
}

/** Validates the annotations of an answer. @returns a sentence under `annotations`; undefined if they are valid */
export function checkAnnotations(
  { subject }: { readonly subject?: Annotated | undefined },
  { annotations = [] }: Pick<Remarks, 'annotations'>,
): { readonly annotations: string } | undefined {
  const fault = findAnnotationFault(subject, annotations);
  return fault === undefined ? undefined : { annotations: fault };
}

function findFault(
  { kind }: Annotated,
  shown: readonly string[],
  { lines, side, quote, comment, replacement }: Annotation,
): string | undefined {
  const text = quoteFrom(shown, lines);
  if (text === undefined) return `what was shown has the lines 1 to ${shown.length}.`;
  if (splitLines(quote).join('\n') !== text) return 'the quote is not what these lines say.';
  if (side !== undefined && kind !== 'diff') return 'only a diff has sides.';
  if (side !== undefined && isOnlyOn(side === 'old' ? '+' : '-', text)) return `these lines have no ${side} side.`;
  if (!hasVisible(comment ?? '') && replacement === undefined) return 'it needs a comment or a replacement.';
  return undefined;
}

/** Whether each of these lines of a diff was added (`+`), or each was removed (`-`). */
function isOnlyOn(sign: '+' | '-', text: string): boolean {
  return splitLines(text).every((line) => line.startsWith(sign));
}
