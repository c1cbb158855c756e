import { type Field, readNumber } from '@parleyhq/core';

/** Returns a number field's text one step up or down, within its bounds; text that is not a number stays as it is. */
export function stepNumber({ min, max, step = 1 }: Field, text: string, direction: 1 | -1): string {
  const [low, high] = [Number(min ?? Number.NEGATIVE_INFINITY), Number(max ?? Number.POSITIVE_INFINITY)];
  const bound = (n: number) => String(Math.min(Math.max(n, low), high));
  if (text.trim() === '') return bound(0);
  const from = readNumber(text);
  return typeof from === 'string' ? text : bound(Number((from + direction * step).toPrecision(15))); // 0.1 + 0.2 is not 0.3
}
