import type { Option } from '@parleyhq/core';

/** Makes options whose labels equal their values. */
export function toOptions(...values: readonly string[]): Option[] {
  return values.map((value) => ({ value, label: value }));
}
