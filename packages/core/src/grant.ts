import { ToolError } from './error.ts';
import type { Instant, InteractionId, SessionId, ToolCallId } from './id.ts';
import type { Actor, ApprovalScope, Subject } from './interaction.ts';
import { canonicalise, isJson, isRecord, type Json } from './json.ts';

export type GrantKey = string | readonly Json[];

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

/** A stored approval (APR1). */
export interface Grant {
  readonly id: string;
  readonly plugin: string;
  /** Canonical: see `canonicalise`. */
  readonly key: string;
  readonly scope: ApprovalScope;
  readonly sessionId: SessionId | undefined;
  readonly createdAt: string;
  readonly uses: number;
  /** After this it allows nothing, and is listed no more. */
  readonly expiresAt?: string;
  /** Who consented; absent where a plugin set it by itself. */
  readonly by?: Actor;
  /** The prompt that it was the answer to. */
  readonly interactionId?: InteractionId;
  readonly toolName?: string;
  /** What was shown. */
  readonly title?: string;
  readonly subject?: Subject;
  readonly digest?: string;
}

/** What a grant would have to cover. */
export interface GrantWish {
  readonly plugin: string;
  readonly key: string;
  readonly sessionId: SessionId;
}

/**
 * Where a call notes what it did with a grant: a record of the same commit, its value the grant's scope. A call that is
 * entered again does not do it twice.
 */
export interface GrantNote {
  readonly sessionId: SessionId;
  readonly toolCallId: ToolCallId;
  readonly key: string;
}

/** Which grants: those that hold in a session, all that cover a key there, the newest of them. All, if nothing is said. */
export interface GrantFilter extends Partial<GrantWish> {
  readonly limit?: number;
}

export interface GrantStore {
  put(grant: Grant, note?: GrantNote): Promise<void>;
  /** The grant that covers the key here: the session's own first, then `always`. A `once` grant is consumed by `take`. */
  take(wish: GrantWish, now: Instant, note?: GrantNote): Promise<Grant | undefined>;
  /** Oldest first, those that have not expired. With `plugin` and `key` it is found, not searched for. */
  list(now: Instant, filter?: GrantFilter): Promise<readonly Grant[]>;
  /** By id, or all of a plugin's in a session. How many went. */
  revoke(which: { id: string } | { plugin: string; sessionId: SessionId }): Promise<number>;
}
