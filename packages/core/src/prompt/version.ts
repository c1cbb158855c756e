import { type ComparedLine, compareLines } from '../basics/line-diff.ts';
import { type Annotation, splitLines } from './annotated-lines.ts';
import type { Subject } from './interaction.ts';
import type { InteractionRequest } from './interaction-request.ts';

/**
 * Returns what a prompt is a version of: the thread of its subject; by default the file that a diff changes, or for a text with
 * markup, such as a plan, the tool and its title: programs ask about unrelated things with one tool. Undefined if the prompt is
 * not a version of anything (REV3).
 */
export function threadOf({
  subject,
  toolName,
  title = '',
}: Pick<InteractionRequest, 'subject' | 'toolName' | 'title'>): string | undefined {
  if (subject?.thread !== undefined) return `thread:${subject.thread}`;
  if (subject?.kind === 'markdown') return `text:${toolName}\n${title}`;
  const files = subject?.kind === 'diff' ? listFiles(subject.text) : [];
  return files.length === 0 ? undefined : `file:${files.join('\n')}`;
}

/** Returns the files that a unified diff changes, without the time that may follow a name; of a deleted one, its old name. */
function listFiles(diff: string): readonly string[] {
  const heads = diff.matchAll(/^--- ([^\t\r\n]+)(?:\t[^\r\n]*)?\r?\n\+\+\+ ([^\t\r\n]+)/gm);
  return [...heads].map(([, before = '', after = '']) => (after === '/dev/null' ? before : after));
}

/** An annotation of an earlier version, at the lines of the later one that are left of it. */
export interface PlacedAnnotation {
  readonly annotation: Annotation;
  /** First and last of the lines that are left, in the later version; undefined if none is. */
  readonly lines: readonly [from: number, to: number] | undefined;
  /** Whether its lines changed: some went, or others came between them. */
  readonly isChanged: boolean;
}

/** Compares two versions of a subject, line by line (REV3). */
export function compareVersions(earlier: Pick<Subject, 'text'>, later: Pick<Subject, 'text'>): readonly ComparedLine[] {
  return compareLines(splitLines(earlier.text), splitLines(later.text));
}

/** Finds where the annotations of an earlier version belong in a later one. @param compared - as `compareVersions` returns it */
export function placeAnnotations(
  annotations: readonly Annotation[],
  compared: readonly ComparedLine[],
): readonly PlacedAnnotation[] {
  const places = new Map(compared.map(({ before, after }) => [before, after]));
  return annotations.map((annotation) => {
    const [from, to] = annotation.lines;
    const left: number[] = [];
    for (let line = from; line <= to; line += 1) {
      const place = places.get(line);
      if (place !== undefined) left.push(place);
    }
    const [first, last = first] = [left[0], left.at(-1)];
    if (first === undefined || last === undefined) return { annotation, lines: undefined, isChanged: true };
    return { annotation, lines: [first, last], isChanged: last - first !== to - from || left.length !== to - from + 1 };
  });
}
