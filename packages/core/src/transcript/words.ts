import type { Actor, ApprovalScope, InteractionRequest } from '../interaction.ts';
import { type Line, line } from './line.ts';

/** Who did it, from which device and over which transport. */
export function describeActor({ principal, name, label, clientId, transport }: Actor): Line {
  const device = label === undefined ? line`${clientId}` : line`${label} (client ${clientId})`;
  return line`${name ?? principal}, from ${device} over ${transport}`;
}

/** The scopes that an approval offered. */
export const scopeWords: Record<ApprovalScope, string> = {
  once: 'once',
  session: 'for this session',
  always: 'always',
};

export const typeWords: Record<InteractionRequest['interactionType'], string> = {
  approval: 'Approval asked for',
  input: 'Question',
  url: 'Address to open',
};
