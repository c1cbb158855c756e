/** The value that this share of all values is not above; NaN of none. */
export function quantile(values: Iterable<number>, share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function median(values: Iterable<number>): number {
  return quantile(values, 0.5);
}

/** Of pairs measured one after the other, so that what the machine did meanwhile falls on both. */
export function medianRatio(above: readonly number[], below: readonly number[]): number {
  return median(above.map((value, index) => value / (below[index] as number)));
}

/** Three figures that count. */
export function show(value: number): string {
  if (!Number.isFinite(value)) return '-';
  if (value >= 1000) return Math.round(value).toLocaleString('en-US');
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
