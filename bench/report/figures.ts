export type Goal = { readonly atMost: number } | { readonly atLeast: number };

/** A measured value, and what it should reach. */
export interface Judged {
  readonly value: number;
  readonly goal: Goal;
}

const figures = new Map<string, Judged>();

/** Notes a figure of this run. @throws Error if there is another of this name, because one of them could not be compared */
export function noteFigure(name: string, figure: Judged): void {
  if (figures.has(name)) throw new Error(`two figures have the name "${name}"`);
  figures.set(name, figure);
}

/** All figures of this run by their names. */
export function notedFigures(): ReadonlyMap<string, Judged> {
  return figures;
}

export function isReached({ value, goal }: Judged): boolean {
  return 'atMost' in goal ? value <= goal.atMost : value >= goal.atLeast;
}
