import type { SessionId } from './id.ts';
import type { ApprovalScope, Audience } from './interaction.ts';

/** From the one that sees to the one that does everything; each may do what those before it may (SEC4). */
export const roles = ['viewer', 'responder', 'operator'] as const;
export type Role = (typeof roles)[number];

/** Whom a token names. What it may do comes from the token alone: nothing that a client says adds to it (SEC4). */
export interface Principal {
  readonly id: string;
  /** What people call it. */
  readonly name?: string | undefined;
  readonly role: Role;
  /** The sessions that it may see; undefined: all. */
  readonly sessions?: readonly SessionId[] | undefined;
}

export function includesRole(role: Role, wanted: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(wanted);
}

/** Whether a session is there for this principal. What is not there and what it may not see look the same. */
export function maySee({ sessions }: Principal, id: SessionId): boolean {
  return sessions === undefined || sessions.includes(id);
}

/** Whether a principal that sees the session is one of those who are asked, and may consent for as long as it wants (SEC4). */
export function mayAnswer(principal: Principal, audience: Audience = {}, scope?: ApprovalScope): boolean {
  const { role: wanted = 'responder', principals } = audience;
  const { id, name, role } = principal;
  const isMeant = principals?.some((each) => each === id || each === name) ?? true;
  return isMeant && includesRole(role, wanted) && mayConsent(principal, scope);
}

/** Whether a principal may answer with this scope: `always` is consent in all sessions, so it takes an operator of them all. */
export function mayConsent({ role, sessions }: Principal, scope?: ApprovalScope): boolean {
  if (scope === 'always') return role === 'operator' && sessions === undefined;
  return includesRole(role, 'responder');
}
