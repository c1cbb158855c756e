/** The quantile of the values; NaN if there are none. */
export function quantile(values: Iterable<number>, share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function median(values: Iterable<number>): number {
  return quantile(values, 0.5);
}

/** The median ratio of pairs that were measured one after the other, so that other load on the machine affects both. */
export function medianRatio(above: readonly number[], below: readonly number[]): number {
  return median(above.map((value, index) => value / (below[index] as number)));
}

/** Formats a number with three significant digits. */
export function show(value: number): string {
  if (!Number.isFinite(value)) return '-';
  if (value >= 1000) return Math.round(value).toLocaleString('en-US');
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
