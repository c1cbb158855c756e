import { permissionModes } from '@parleyhq/core';
import type { SessionModeState } from '../sdk.ts';

const modes: Readonly<
  Record<(typeof permissionModes)[number], { readonly name: string; readonly description: string }>
> = {
  default: { name: 'Ask first', description: 'Tools ask when they or the policies of the server require approval.' },
  acceptEdits: {
    name: 'Accept edits',
    description: 'Tools that only edit files run without asking; others still ask.',
  },
  plan: { name: 'Plan only', description: 'Only read-only tools run; all others are refused.' },
  bypassPermissions: {
    name: 'Never ask',
    description: 'Every tool runs without asking; only the policies of the server still apply.',
  },
};

/** The permission modes of a session, for an editor. */
export function toModes(currentModeId: string): SessionModeState {
  return { currentModeId, availableModes: permissionModes.map((id) => ({ id, ...modes[id] })) };
}
