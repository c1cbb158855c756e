import { outsideAgent, type PermissionMode, type Session } from '@parleyhq/core';

/** Permission modes: their names, and what each means for tools that need approval (APR3). */
export const modes = {
  default: { name: 'Ask first', words: 'Tools ask when they or this server’s policies require approval.' },
  acceptEdits: { name: 'Accept edits', words: 'Tools that only edit files run without asking; others still ask.' },
  plan: { name: 'Plan only', words: 'Only read-only tools run; all others are refused.' },
  bypassPermissions: {
    name: 'Never ask',
    words: 'Every tool runs without asking; only this server’s policies still apply.',
  },
} as const satisfies Record<PermissionMode, { name: string; words: string }>;

/** Whether permission modes apply to a session: calls of outside programs always ask (ASK3). */
export function hasModes({ agent }: Session): boolean {
  return agent !== outsideAgent;
}

/** Returns the name of a mode, or the id of a mode that only a newer server knows. */
export function nameMode(mode: string): string {
  return isMode(mode) ? modes[mode].name : mode;
}

function isMode(mode: string): mode is PermissionMode {
  return Object.hasOwn(modes, mode);
}
