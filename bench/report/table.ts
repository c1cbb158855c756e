import { show } from './stats.ts';

/** A ratio beside its goal, with a mark that says whether it is reached. */
export function judge(value: number, goal: { atMost: number } | { atLeast: number }): string {
  const isReached = 'atMost' in goal ? value <= goal.atMost : value >= goal.atLeast;
  return `${show(value)} ${isReached ? 'ok' : 'MISSED'}`;
}

/** Markdown that is readable as it stands. */
export function printTable(title: string, head: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = head.map((cell, column) => Math.max(cell.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padStart(widths[column] as number)).join(' | ')} |`;
  const rule = `|${widths.map((width) => `${'-'.repeat(width + 1)}:`).join('|')}|`;
  console.log(`\n${title}\n\n${[line(head), rule, ...rows.map(line)].join('\n')}`);
}
