import type { Option } from '@parleyhq/core';

/** Options whose labels are their values. */
export function toOptions(...values: readonly string[]): Option[] {
  return values.map((value) => ({ value, label: value }));
}
