import type { Option } from '@parleyhq/core';

/** Choices that are called what they are. */
export function toOptions(...values: readonly string[]): Option[] {
  return values.map((value) => ({ value, label: value }));
}
