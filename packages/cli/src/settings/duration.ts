const units: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 24 * 3_600_000 };

/** Converts `90s`, `15m`, `12h` or `30d` to ms; undefined for anything else. */
export function readDuration(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * (units[unit] as number);
}
