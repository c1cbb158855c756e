import { type Actor, type ApprovalScope, nameOf } from '../prompt/interaction.ts';
import type { InteractionRequest } from '../prompt/interaction-request.ts';
import { type Line, line } from './line.ts';

/** Describes an actor with device and transport. */
export function describeActor(actor: Actor): Line {
  const { label, clientId, transport } = actor;
  const device = label === undefined ? line`${clientId}` : line`${label} (client ${clientId})`;
  return line`${nameOf(actor)}, from ${device} over ${transport}`;
}

/** Names of the scopes that an approval offered. */
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
