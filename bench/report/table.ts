import { show } from './stats.ts';

/** A ratio, marked `ok` or `MISSED` by its goal. */
export function judge(value: number, goal: { atMost: number } | { atLeast: number }): string {
  const isReached = 'atMost' in goal ? value <= goal.atMost : value >= goal.atLeast;
  return `${show(value)} ${isReached ? 'ok' : 'MISSED'}`;
}

/** Prints a Markdown table that is also readable as plain text. */
export function printTable(title: string, head: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = head.map((cell, column) => Math.max(cell.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padStart(widths[column] as number)).join(' | ')} |`;
  const rule = `|${widths.map((width) => `${'-'.repeat(width + 1)}:`).join('|')}|`;
  console.log(`\n${title}\n\n${[line(head), rule, ...rows.map(line)].join('\n')}`);
}
