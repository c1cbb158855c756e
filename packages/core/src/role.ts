import type { SessionId } from './id.ts';
import type { ApprovalScope, Audience } from './interaction.ts';

/** From least to most powerful; each role includes those before it (SEC4). */
export const roles = ['viewer', 'responder', 'operator'] as const;
export type Role = (typeof roles)[number];

/** The holder of a token. Its permissions come from the token alone; nothing a client says adds to them (SEC4). */
export interface Principal {
  readonly id: string;
  /** A name for people. */
  readonly name?: string | undefined;
  readonly role: Role;
  /** The sessions that it may see; all if undefined. */
  readonly sessions?: readonly SessionId[] | undefined;
}

export function includesRole(role: Role, wanted: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(wanted);
}

/** Whether this principal may see the session. To it, a hidden session looks like one that does not exist. */
export function maySee({ sessions }: Principal, id: SessionId): boolean {
  return sessions === undefined || sessions.includes(id);
}

/** Whether a principal that sees the session is in the prompt's audience and may answer with this scope (SEC4). */
export function mayAnswer(principal: Principal, audience: Audience = {}, scope?: ApprovalScope): boolean {
  const { role: wanted = 'responder', principals } = audience;
  const { id, name, role } = principal;
  const isMeant = principals?.some((each) => each === id || each === name) ?? true;
  return isMeant && includesRole(role, wanted) && mayConsent(principal, scope);
}

/** Whether a principal may answer with this scope. `always` consents for all sessions, so it takes an operator who sees them all. */
export function mayConsent({ role, sessions }: Principal, scope?: ApprovalScope): boolean {
  if (scope === 'always') return role === 'operator' && sessions === undefined;
  return includesRole(role, 'responder');
}
