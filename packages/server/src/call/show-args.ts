import type { Json } from '@parleyhq/core';

/** Arguments as a person reads them. */
export function showArgs(args: Json | undefined): { kind: 'json'; text: string } {
  return { kind: 'json', text: JSON.stringify(args, null, 2) };
}
