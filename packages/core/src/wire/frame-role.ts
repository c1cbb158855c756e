import { includesRole, mayConsent, type Principal } from '../prompt/role.ts';
import type { RequestFrame } from './frame.ts';

/**
 * Whether a principal that can see the session may send this frame (SEC4).
 * @param defaultAgent - the server's default agent; choosing another takes an operator (TEAM2)
 */
export function maySend(principal: Principal, frame: RequestFrame, defaultAgent: string): boolean {
  if (principal.role === 'asker') return askerFrames.has(frame.type);
  if (frame.type === 'tool_interaction_response') return mayConsent(principal, frame.approvalScope);
  if (frame.type === 'remove_reviewer' && frame.scope === 'always' && principal.sessions !== undefined) return false; // it would affect sessions that it cannot see
  if (frame.type === 'create_session' && principal.sessions !== undefined) return false; // it could not see the new session
  return includesRole(principal.role, requiredRole(frame, defaultAgent));
}

/** Frames that an asker may send. The frame's handler checks the owner of the session and the tool (ASK2). */
const askerFrames: ReadonlySet<RequestFrame['type']> = new Set([
  'call_tool',
  'withdraw_call',
  'reply_comment',
  'subscribe',
  'unsubscribe',
  'read_events',
  'list_sessions',
]);

type RankedFrame = Exclude<RequestFrame, { type: 'tool_interaction_response' }>;

/**
 * Returns the lowest role for a frame: viewers read, responders also write, operators also delete and change what needs approval.
 */
function requiredRole(frame: RankedFrame, defaultAgent: string): Parameters<typeof includesRole>[1] {
  switch (frame.type) {
    case 'subscribe':
    case 'unsubscribe':
    case 'read_events':
    case 'list_sessions':
    case 'list_grants':
    case 'list_open':
    case 'set_interaction_mode':
    case 'activity':
      return 'viewer';
    case 'user_message':
    case 'deny_open':
    case 'edit_queued':
    case 'remove_queued':
    case 'cancel_turn':
    case 'draft':
    case 'claim_interaction':
    case 'comment_interaction':
    case 'list_suggestions':
      return 'responder';
    case 'decide_suggestion':
      return frame.approvalScope === 'always' ? 'operator' : 'responder';
    case 'create_session':
    case 'update_session':
      // a mode consents to future calls, and the agent decides which calls there are
      return frame.permissionMode === undefined && (frame.agent ?? defaultAgent) === defaultAgent
        ? 'responder'
        : 'operator';
    case 'remove_reviewer':
      return frame.scope === 'always' ? 'operator' : 'responder'; // it only makes people be asked more often
    case 'delete_session':
    case 'revoke_grant':
    case 'call_tool':
    case 'withdraw_call':
    case 'reply_comment':
      return 'operator';
    default:
      return frame satisfies never;
  }
}
