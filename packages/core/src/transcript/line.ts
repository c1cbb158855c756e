/**
 * Words of a transcript. A bare string is Parley's own; whatever an agent, a tool or a person said stands in `said`,
 * and a writer shows that it is somebody's words: that is what keeps a text from speaking as Parley.
 */
export type Span = string | { readonly said: string } | { readonly time: string };
export type Line = readonly Span[];

/** Our words around theirs: an interpolated text is somebody's, an interpolated line is taken as it is. */
export function line(words: TemplateStringsArray, ...values: readonly (string | number | Line)[]): Line {
  return words.flatMap((word, index): Span[] => {
    const value = values[index];
    const own = word === '' ? [] : [word];
    if (value === undefined) return own;
    if (typeof value === 'number') return [...own, String(value)];
    return [...own, ...(typeof value === 'string' ? [{ said: value }] : value)];
  });
}

/** A moment in a line. */
export function at(timestamp: string): Line {
  return [{ time: timestamp }];
}

export function joinLines(lines: readonly Line[], separator: string): Line {
  return lines.flatMap((each, index) => (index === 0 ? each : [separator, ...each]));
}

/** `2026-03-01 09:00:00 UTC`; what is no moment in UTC stays as it stands in the log. */
export function formatMoment(timestamp: string): string {
  const [, day, time] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/.exec(timestamp) ?? [];
  return day === undefined ? timestamp : `${day} ${time} UTC`;
}

/** A part of an entry. */
export type Block =
  /** A fact in Parley's words. */
  | { readonly kind: 'fact'; readonly line: Line }
  /** What became of a prompt: the mark, and whose it is. */
  | { readonly kind: 'outcome'; readonly mark: string; readonly line: Line }
  /** Somebody's prose. */
  | { readonly kind: 'prose'; readonly label?: Line; readonly text: string }
  /** Somebody's text, to the letter: arguments, results, a subject. */
  | { readonly kind: 'code'; readonly label: Line; readonly text: string }
  /** A prompt in its call. */
  | { readonly kind: 'entry'; readonly entry: Entry };

export type Tone = 'person' | 'agent' | 'thinking' | 'tool' | 'prompt' | 'note' | 'error';

/** One thing that happened, where and when. */
export interface Entry {
  readonly tone: Tone;
  readonly seq: number;
  readonly timestamp: string;
  readonly heading: Line;
  readonly blocks: readonly Block[];
}

export const fact = (words: Line): Block => ({ kind: 'fact', line: words });

export const outcome = (mark: string, words: Line): Block => ({ kind: 'outcome', mark, line: words });

export function code(label: Line, value: unknown): Block {
  return { kind: 'code', label, text: typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '') };
}

/** Leaves out what is not there. */
export function blocks(...parts: readonly (Block | readonly Block[] | undefined | false)[]): readonly Block[] {
  return parts.flatMap((part) => part || []);
}
