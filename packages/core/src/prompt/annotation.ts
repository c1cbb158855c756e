/** Limits of the annotations of one answer: how many, and the bytes of their JSON as UTF-8 (REV1). */
export const maxAnnotations = 100;
export const maxAnnotationBytes = 32 * 1024;

export const annotationSides = ['old', 'new'] as const;
export type AnnotationSide = (typeof annotationSides)[number];

/** A subject, as far as annotations need it. */
type Annotated = { readonly kind: string; readonly text: string };

/** A remark on lines of a prompt's subject (REV1). */
export interface Annotation {
  /** First and last line of the subject's text, counted from 1. */
  readonly lines: readonly [from: number, to: number];
  /** The version that a remark on a diff is about. */
  readonly side?: AnnotationSide | undefined;
  /** Exactly these lines, joined by line breaks. */
  readonly quote: string;
  readonly comment?: string | undefined;
  /** What the lines should be instead; the empty text deletes them. */
  readonly replacement?: string | undefined;
}

/** What an answer says in words. */
export interface Remarks {
  readonly reason?: string | undefined;
  readonly annotations?: readonly Annotation[] | undefined;
}

/** Splits a text into the lines that annotations count. */
export function splitLines(text: string): string[] {
  return text.split(/\r\n|\r|\n/);
}

/** Returns lines of a subject as an annotation quotes them; undefined if it does not have them. @param lines - first and last, from 1 */
export function quoteLines({ text }: Pick<Annotated, 'text'>, lines: Annotation['lines']): string | undefined {
  return quoteFrom(splitLines(text), lines);
}

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
  if (!comment?.trim() && replacement === undefined) return 'it needs a comment or a replacement.';
  return undefined;
}

function quoteFrom(shown: readonly string[], [from, to]: Annotation['lines']): string | undefined {
  if (!(from >= 1 && from <= to && to <= shown.length)) return undefined;
  return shown.slice(from - 1, to).join('\n');
}

/** Whether each of these lines of a diff was added (`+`), or each was removed (`-`). */
function isOnlyOn(sign: '+' | '-', text: string): boolean {
  return splitLines(text).every((line) => line.startsWith(sign));
}

/** Names the place of an annotation: `Line 3`, `Lines 3 to 5 (old)`. */
export function nameLines({ lines: [from, to], side }: Pick<Annotation, 'lines' | 'side'>): string {
  return `${from === to ? `Line ${from}` : `Lines ${from} to ${to}`}${side ? ` (${side})` : ''}`;
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
  if (comment?.trim()) parts.push(comment);
  if (replacement === '') parts.push('Delete this.');
  else if (replacement !== undefined) parts.push(`Replace this by:\n${fence(replacement)}`);
  return parts.join('\n\n');
}

/** Puts a text into a code block that its own backticks cannot end. */
function fence(text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([ticks]) => ticks.length));
  const mark = '`'.repeat(longest + 1);
  return `${mark}\n${text}\n${mark}`;
}

/** Returns all that a person said to an answer as one Markdown text: the reason, then the annotations. Undefined if nothing (REV2). */
export function wordsOf({ reason, annotations }: Remarks): string | undefined {
  const parts = [reason, describeAnnotations(annotations)].filter((part) => part !== undefined);
  return parts.length > 0 ? parts.join('\n\n') : undefined;
}
