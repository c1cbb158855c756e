import type { RequestFrame } from './frame.ts';
import type { SessionId } from './id.ts';
import type { Audience } from './interaction.ts';

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

/** Whether a principal that sees the session may send a frame, or ask for what it says. */
export function maySend({ role, sessions }: Principal, frame: RequestFrame): boolean {
  return includesRole(role, requiredRole(frame)) && (sessions === undefined || !reachesBeyond(frame));
}

/** Whether a principal that sees the session is one of those who are asked. */
export function mayAnswer({ id, name, role }: Principal, audience: Audience = {}): boolean {
  const { role: wanted = 'responder', principals } = audience;
  const isMeant = principals?.some((each) => each === id || each === name) ?? true;
  return isMeant && includesRole(role, 'responder') && includesRole(role, wanted);
}

/** Who sees may look; who responds may also say; who consents for longer than a session, or takes away, operates. */
function requiredRole(frame: RequestFrame): Role {
  switch (frame.type) {
    case 'subscribe':
    case 'unsubscribe':
    case 'read_events':
    case 'list_sessions':
    case 'list_grants':
    case 'set_interaction_mode':
      return 'viewer';
    case 'user_message':
    case 'edit_queued':
    case 'remove_queued':
    case 'cancel_turn':
    case 'draft':
      return 'responder';
    case 'create_session':
    case 'update_session':
      return frame.permissionMode === undefined ? 'responder' : 'operator'; // a mode consents to whatever comes
    case 'tool_interaction_response':
      return frame.approvalScope === 'always' ? 'operator' : 'responder';
    case 'delete_session':
    case 'revoke_grant':
      return 'operator';
    default:
      return frame satisfies never;
  }
}

/** What would be seen, or would count, in sessions that a principal of some may not see. */
function reachesBeyond(frame: RequestFrame): boolean {
  return (
    frame.type === 'create_session' || (frame.type === 'tool_interaction_response' && frame.approvalScope === 'always')
  );
}
