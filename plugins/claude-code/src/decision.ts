import { readChosen } from '@parleyhq/claude-tools';
import {
  canonicalise,
  type DoorCall,
  type DoorOutcome,
  describeFolder,
  isRecord,
  type Json,
  readAt,
} from '@parleyhq/core';
import type { Waiting } from './claude-sessions.ts';
import type { PermissionRequest } from './hook.ts';

/** A decision in the format of Claude Code; without one, its own prompt decides. */
export type Decision =
  | {
      readonly behavior: 'allow';
      readonly updatedInput: Readonly<Record<string, Json>>;
      readonly updatedPermissions?: readonly Json[];
    }
  | { readonly behavior: 'deny'; readonly message: string };

/** Returns the call that asks people for permission. */
export function toCall(
  { session_id, tool_name, tool_input, cwd, permission_suggestions }: PermissionRequest,
  { id, folder }: Pick<Waiting, 'id' | 'folder'>,
): DoorCall {
  return {
    ...placeIn({ session_id, cwd }),
    toolName: 'permission',
    args: {
      tool_name,
      input: tool_input,
      ...(id !== undefined && { tool_use_id: id }),
      ...(folder !== undefined && { folder }),
      ...(permission_suggestions.length > 0 && { permission_suggestions }),
    },
  };
}

/** The session that stands for one of Claude Code, and who asks in it. */
export function placeIn({ session_id, cwd }: Pick<PermissionRequest, 'session_id' | 'cwd'>) {
  return { channel: `claude:${session_id}`, ...describeFolder('Claude Code', cwd) };
}

/** Returns a person's approval or denial. Anything else that ended the call (a cancel, a deadline, an error) decides nothing. */
export function decide(hook: PermissionRequest, { result, answers }: DoorOutcome): Decision | undefined {
  const answer = answers.at(-1);
  if (!answer || !isRecord(result)) return undefined;
  const { behavior, updatedInput, message } = result;
  if (behavior === 'allow' && answer.action === 'submit' && hook.tool_name === 'AskUserQuestion')
    return { behavior, updatedInput: updatedInput as Record<string, Json> };
  if (behavior === 'allow' && answer.action === 'approve') {
    // taken from the original request, because the result is redacted
    const updatedPermissions = readChosen(hook.permission_suggestions, answer.ruleId);
    const allowed = findAllowed(hook, updatedInput, answers);
    if (!allowed) return undefined;
    return { behavior, updatedInput: allowed, ...(updatedPermissions && { updatedPermissions }) };
  }
  if (behavior === 'deny' && answer.action === 'deny') return { behavior, message: String(message) };
  return undefined;
}

/**
 * Returns the input that a person allowed: as shown, or as edited. It is returned even if unchanged, because plans and other
 * calls that wait for a person need it to continue. Undefined if a secret was removed from it: that is not what the person
 * allowed.
 */
function findAllowed(
  { tool_input }: PermissionRequest,
  updatedInput: unknown,
  answers: DoorOutcome['answers'],
): Record<string, Json> | undefined {
  const edits = answers.flatMap(({ editedArgs }) => (editedArgs === undefined ? [] : [readAt(editedArgs, ['input'])]));
  if (edits.length === 0) return tool_input;
  const isAllowed = (input: unknown): input is Record<string, Json> =>
    isRecord(input) && canonicalise(input) === canonicalise(updatedInput);
  return [tool_input, ...edits].find(isAllowed);
}
