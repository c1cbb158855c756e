/**
 * A line of a transcript. Bare strings are Parley's own words; the words of an agent, a tool or a person are wrapped in `said`,
 * and renderers mark them as such, so that no text can be mistaken for Parley's.
 */
export type Span = string | { readonly said: string } | { readonly time: string };
export type Line = readonly Span[];

/** Builds a line: interpolated strings become `said`, interpolated lines are inserted unchanged. */
export function line(words: TemplateStringsArray, ...values: readonly (string | number | Line)[]): Line {
  return words.flatMap((word, index): Span[] => {
    const value = values[index];
    const own = word === '' ? [] : [word];
    if (value === undefined) return own;
    if (typeof value === 'number') return [...own, String(value)];
    return [...own, ...(typeof value === 'string' ? [{ said: value }] : value)];
  });
}

/** Returns a timestamp as a line. */
export function at(timestamp: string): Line {
  return [{ time: timestamp }];
}

export function joinLines(lines: readonly Line[], separator: string): Line {
  return lines.flatMap((each, index) => (index === 0 ? each : [separator, ...each]));
}

/** Formats as `2026-03-01 09:00:00 UTC`. Text that is not a UTC timestamp is returned unchanged. */
export function formatMoment(timestamp: string): string {
  const [, day, time] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/.exec(timestamp) ?? [];
  return day === undefined ? timestamp : `${day} ${time} UTC`;
}

/** A part of an entry. */
export type Block =
  /** A fact in Parley's words. `isTrace`: only readers of the log or the audit need it, so HTML folds it. */
  | { readonly kind: 'fact'; readonly line: Line; readonly isTrace?: true }
  /** The outcome of a prompt, with its actor. */
  | { readonly kind: 'outcome'; readonly mark: string; readonly line: Line }
  /** A text that somebody wrote. */
  | { readonly kind: 'prose'; readonly label?: Line; readonly text: string }
  /** Verbatim text: arguments, results, a subject. */
  | { readonly kind: 'code'; readonly label: Line; readonly text: string }
  /** A prompt within its call. */
  | { readonly kind: 'entry'; readonly entry: Entry };

export type Tone = 'person' | 'agent' | 'thinking' | 'tool' | 'prompt' | 'note' | 'error';

/** An entry of the transcript: one item of the log. */
export interface Entry {
  readonly tone: Tone;
  readonly seq: number;
  readonly timestamp: string;
  readonly heading: Line;
  readonly blocks: readonly Block[];
}

export const fact = (words: Line): Block => ({ kind: 'fact', line: words });

export const trace = (words: Line): Block => ({ kind: 'fact', line: words, isTrace: true });

export const outcome = (mark: string, words: Line): Block => ({ kind: 'outcome', mark, line: words });

export function code(label: Line, value: unknown): Block {
  return { kind: 'code', label, text: typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '') };
}

/** Collects blocks, without absent ones. */
export function blocks(...parts: readonly (Block | readonly Block[] | undefined | false)[]): readonly Block[] {
  return parts.flatMap((part) => part || []);
}
