export const annotationSides = ['old', 'new'] as const;
export type AnnotationSide = (typeof annotationSides)[number];

/** A subject, as far as annotations need it. */
export type Annotated = { readonly kind: string; readonly text: string };

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

/** Splits a text into the lines that annotations count. */
export function splitLines(text: string): string[] {
  return text.split(/\r\n|\r|\n/);
}

/** Returns lines of a subject as an annotation quotes them; undefined if it does not have them. @param lines - first and last, from 1 */
export function quoteLines({ text }: Pick<Annotated, 'text'>, lines: Annotation['lines']): string | undefined {
  return quoteFrom(splitLines(text), lines);
}

export function quoteFrom(shown: readonly string[], [from, to]: Annotation['lines']): string | undefined {
  if (!(from >= 1 && from <= to && to <= shown.length)) return undefined;
  return shown.slice(from - 1, to).join('\n');
}

/** Names the place of an annotation: `Line 3`, `Lines 3 to 5 (old)`. */
export function nameLines({ lines: [from, to], side }: Pick<Annotation, 'lines' | 'side'>): string {
  return `${from === to ? `Line ${from}` : `Lines ${from} to ${to}`}${side ? ` (${side})` : ''}`;
}
