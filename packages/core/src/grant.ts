import { ToolError } from './error.ts';
import { canonicalise, isJson, isRecord, type Json } from './json.ts';
import type { GrantKey } from './plugin.ts';

/**
 * The text that a plugin's key is stored under, beside the plugin's name. Keys are texts and lists; Parley's own are objects,
 * so that the two never meet, and no two keys share a text (APR1).
 * @throws ToolError `tool_error` for what is no key: what JSON would change could be taken for another
 */
export function nameGrant(key: GrantKey): string {
  const isKey = (typeof key === 'string' || Array.isArray(key)) && isJson(key);
  if (!isKey) throw new ToolError('tool_error', 'The key of an approval is a text, or a list of JSON values.');
  return canonicalise(key);
}

/** What the gate's lasting consent covers: this tool with exactly these arguments (APR3). */
export function nameCallGrant(toolName: string, args: Json): string {
  return canonicalise({ tool: toolName, args });
}

/** What a stored key covers: calls with exactly these arguments, or what a plugin asks under these names. */
export type GrantRule =
  | { readonly kind: 'call'; readonly toolName: string; readonly args: Json }
  | { readonly kind: 'key'; readonly parts: readonly Json[] };

export function readGrantRule(name: string): GrantRule {
  const key = JSON.parse(name) as Json;
  if (isRecord(key)) return { kind: 'call', toolName: String(key.tool), args: key.args as Json };
  return { kind: 'key', parts: Array.isArray(key) ? key : [key] };
}
