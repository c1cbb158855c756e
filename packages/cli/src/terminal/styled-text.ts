import { styleText } from 'node:util';
import { showHidden } from '@parleyhq/core';
import { wrapAnsi } from 'fast-wrap-ansi';

/** Something to print: a mark of ours that shows what it is, and text that may be from anybody. */
export interface StyledText {
  readonly tone: Tone;
  readonly mark: string;
  readonly text: string;
}

export type Tone = keyof typeof styles;

const styles = {
  person: ['bold', 'cyan'],
  agent: ['bold'],
  tool: ['blue'],
  prompt: ['bold', 'yellow'],
  good: ['green'],
  bad: ['red'],
  quiet: ['dim'],
} as const satisfies Record<string, readonly string[]>;

/** Width and colours of the output. */
export interface OutputStyle {
  readonly columns: number;
  paint(tone: Tone, text: string): string;
}

/** A terminal gets lines that fit, and colours unless NO_COLOR is set; a pipe gets plain lines of any length. */
export function paperOf(stream: NodeJS.WriteStream): OutputStyle {
  return {
    columns: stream.isTTY ? Math.max(stream.columns || 80, leastColumns) : Number.POSITIVE_INFINITY,
    paint: (tone, text) => styles[tone].reduce((painted, style) => styleText(style, painted, { stream }), text),
  };
}

/** The minimum width, even if the terminal is narrower: one word per line would be unreadable. */
const leastColumns = 20;

const indent = '  ';

/** Lays a piece out in lines; those after the first are indented, so that text cannot imitate a mark of ours (SEC5). */
export function layOut({ mark, text, tone }: StyledText, paper: OutputStyle): readonly string[] {
  const [first = '', ...rest] = setIn(`${mark} ${text}`, paper.columns).split('\n');
  const isBare = tone === 'quiet';
  const head = isBare
    ? paper.paint(tone, first)
    : `${paper.paint(tone, first.slice(0, mark.length))}${first.slice(mark.length)}`;
  return [head, ...rest.map((row) => (isBare ? paper.paint(tone, row) : row))];
}

/** Wraps text from others to the width; all rows except the first are indented. */
export function setIn(text: string, columns: number): string {
  return rowsOf(showHidden(text).replaceAll('\t', indent), columns).join('\n');
}

function rowsOf(text: string, columns: number): string[] {
  const rows = text.split('\n').flatMap((line) => wrap(line, columns - indent.length));
  return rows.map((row, n) => (n === 0 ? row : `${indent}${row}`).trimEnd());
}

/** Wraps a line; keeps its indentation, and drops the space at each break. */
function wrap(line: string, columns: number): string[] {
  if (columns === Number.POSITIVE_INFINITY) return [line];
  const rows = wrapAnsi(line, columns, { hard: true, trim: false }).split('\n');
  return rows.map((row, n) => (n === 0 ? row : row.trimStart()));
}
