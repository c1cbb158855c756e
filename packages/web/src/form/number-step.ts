import { type Field, readNumber } from '@parleyhq/core';

/** A number field's text after an arrow key, within its bounds; undefined for other keys, and where no number stands there. */
export function stepNumber({ min, max, step = 1 }: Field, text: string, key: string): string | undefined {
  const by = { ArrowUp: step, ArrowDown: -step }[key];
  const [low, high] = [Number(min ?? Number.NEGATIVE_INFINITY), Number(max ?? Number.POSITIVE_INFINITY)];
  const from = text.trim() === '' ? Math.min(Math.max(0, low), high) - (by ?? 0) : readNumber(text);
  if (by === undefined || from === undefined) return undefined;
  const sum = Number((from + by).toPrecision(15)); // 0.1 + 0.2 is not 0.3
  return String(Math.min(Math.max(sum, low), high));
}
