import * as z from 'zod';

const id = z.string().min(1);
const claudeCode = z.object({ 'claudecode/toolUseId': id });
const codex = z.object({ callId: id, threadId: id });

const maxLength = 128;

/**
 * The key that a client known to us gives a call, by the names that it uses: with it a repeat is the same call (ASK6). A
 * JSON-RPC request id is none: every client counts from the same number.
 */
export function readCallId(meta: unknown): string | undefined {
  const key = keyOf(meta);
  return key !== undefined && key.length <= maxLength ? key : undefined;
}

function keyOf(meta: unknown): string | undefined {
  const ofClaudeCode = claudeCode.safeParse(meta).data;
  if (ofClaudeCode) return `claude-code:${ofClaudeCode['claudecode/toolUseId']}`;
  const ofCodex = codex.safeParse(meta).data;
  return ofCodex && `codex:${ofCodex.threadId}:${ofCodex.callId}`; // Codex counts its calls within a thread
}
