import { type Goal, isReached, type Judged, noteFigure } from './figures.ts';
import { show } from './stats.ts';

export type Cell = string | Judged;

/** A value with its goal: its cell is marked `ok` or `MISSED`, and it becomes a figure of the run. */
export function judge(value: number, goal: Goal): Judged {
  return { value, goal };
}

/** Prints a Markdown table that is also readable as plain text, and notes its judged ratios under title, row and column. */
export function printTable(title: string, head: readonly string[], rows: readonly (readonly Cell[])[]): void {
  const [name = title] = title.split(/: | \(/);
  for (const row of rows) {
    row.forEach((cell, column) => {
      const heading = head[column] ?? '';
      if (typeof cell !== 'string' && heading.includes('ratio'))
        noteFigure([name, print(row[0] ?? ''), heading].join(', '), cell);
    });
  }
  const texts = rows.map((row) => row.map(print));
  const widths = head.map((cell, column) => Math.max(cell.length, ...texts.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padStart(widths[column] as number)).join(' | ')} |`;
  const rule = `|${widths.map((width) => `${'-'.repeat(width + 1)}:`).join('|')}|`;
  console.log(`\n${title}\n\n${[line(head), rule, ...texts.map(line)].join('\n')}`);
}

function print(cell: Cell): string {
  return typeof cell === 'string' ? cell : `${show(cell.value)} ${isReached(cell) ? 'ok' : 'MISSED'}`;
}
