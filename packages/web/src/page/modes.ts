import type { PermissionMode } from '@parleyhq/core';

/** Permission modes: their names, and what each means for tools that ask for leave (APR3). */
export const modes = {
  default: { name: 'Ask first', words: 'Tools ask where they or this server’s policies want leave.' },
  acceptEdits: { name: 'Accept edits', words: 'Tools that only edit files run without asking; the others ask.' },
  plan: { name: 'Plan only', words: 'Only tools that change nothing run; all others are refused.' },
  bypassPermissions: {
    name: 'Asks nothing',
    words: 'Every tool runs without asking for leave; only this server’s policies still hold.',
  },
} as const satisfies Record<PermissionMode, { name: string; words: string }>;

/** A mode of a newer server has only its own name. */
export function nameMode(mode: string): string {
  return isMode(mode) ? modes[mode].name : mode;
}

function isMode(mode: string): mode is PermissionMode {
  return Object.hasOwn(modes, mode);
}
