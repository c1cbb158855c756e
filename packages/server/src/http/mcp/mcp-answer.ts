import { type CallComment, isRecord, type Json, type Tool } from '@parleyhq/core';
import type { CallOutcome } from '../../extensions/programs/call-outcome.ts';

/** A content block of MCP. */
export type McpContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string }
  | {
      readonly type: 'resource';
      readonly resource: { readonly uri: string; readonly mimeType: string } & (
        | { readonly text: string }
        | { readonly blob: string }
      );
    }
  | {
      readonly type: 'resource_link';
      readonly uri: string;
      readonly name: string;
      readonly mimeType: string;
      readonly size: number;
    };

/** The result of a tool, as MCP defines it. */
export interface McpAnswer {
  readonly content: McpContent[];
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: true;
}

/** Returns the result of a call; a permission's is text only, because clients accept no structured content there. */
export function say(
  { result = null, error, delivered }: CallOutcome,
  { endsWithRequest }: Pick<Tool, 'endsWithRequest'> = {},
): McpAnswer {
  if (error) return sayError(error);
  const value = isRecord(result) && delivered === false ? { ...result, delivered } : result;
  const isStructured = isRecord(value) && !endsWithRequest;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return { ...toText(text), ...(isStructured && { structuredContent: value }) };
}

/** Returns the result for a client whose wait ended without an answer, with what people have said so far (REV4). */
export function sayOpen(callId: string, comments: readonly CallComment[] = []): McpAnswer {
  if (comments.length === 0) return say({ result: { open: true, callId, message: nobodyYet } });
  const replied = new Set(comments.map(({ replyTo, isAskers }) => isAskers && replyTo));
  const isOwed = comments.some(({ commentId, isAskers }) => !isAskers && !replied.has(commentId));
  const result = { open: true, callId, comments: comments as readonly object[] as Json[] };
  return say({ result: { ...result, message: isOwed ? `${nobodyYet} ${saidBelow}` : nobodyYet } });
}

const nobodyYet = 'Nobody has answered yet. Call check_answer with this callId to wait on.';
const saidBelow =
  'People commented on the question: before you wait on, reply with reply_comment to those that you can help.';

export function sayError({ code, message }: { readonly code: string; readonly message: string }): McpAnswer {
  return { ...toText(`${message} (${code})`), isError: true };
}

export function toText(text: string): Pick<McpAnswer, 'content'> {
  return { content: [{ type: 'text', text }] };
}
