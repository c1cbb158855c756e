import { ToolError } from '../basics/error.ts';
import type { InteractionId, SessionId } from '../basics/id.ts';
import { canonicalise, isJson, isRecord, type Json } from '../basics/json.ts';
import type { Actor, ApprovalScope, Subject } from './interaction.ts';
import type { Asked, Principal, Role } from './role.ts';
import type { Rule } from './rule.ts';

export type GrantKey = string | readonly Json[];

/**
 * The text under which a plugin's key is stored, beside the plugin's name. Plugins' keys are strings and lists, Parley's own
 * are objects, so they never collide; and no two keys have the same text (APR1).
 * @throws ToolError `tool_error` for an invalid key. A value that JSON would change could be mistaken for another key.
 */
export function nameGrant(key: GrantKey): string {
  const isKey = (typeof key === 'string' || Array.isArray(key)) && isJson(key);
  if (!isKey) throw new ToolError('tool_error', 'The key of an approval must be a string or a list of JSON values.');
  return canonicalise(key);
}

/** What of a tool its name alone does not say. */
interface DefinedTool {
  readonly name: string;
  readonly revision?: string;
}

/** The key of a lasting consent at the gate: this tool, as it is defined, with exactly these arguments, as they run (APR3). */
export function nameCallGrant({ name, revision }: DefinedTool, args: Json): string {
  return canonicalise({ tool: name, args, ...(revision !== undefined && { revision }) });
}

/** The key of a lasting consent to what one program outside asks: nobody else is answered by it (ASK3). */
export function nameCallerGrant(principal: string, name: string): string {
  return canonicalise({ caller: principal, key: JSON.parse(name) });
}

/**
 * What a stored key of an exact consent covers: calls with exactly these arguments, or what a plugin asks for under this key, for
 * this caller alone if it names one.
 */
export type GrantRule =
  | { readonly kind: 'call'; readonly toolName: string; readonly args: Json }
  | { readonly kind: 'key'; readonly parts: readonly Json[]; readonly caller?: string };

export function readGrantRule(name: string): GrantRule {
  const key = JSON.parse(name) as Json;
  if (isRecord(key) && 'caller' in key) {
    const { caller, key: own } = key;
    return { kind: 'key', parts: [own as Json].flat() as Json[], caller: String(caller) };
  }
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
  /** From then on it covers nothing and is not listed. */
  readonly expiresAt?: string;
  /** Who consented; absent if a plugin set the grant itself. */
  readonly by?: Actor;
  /** The prompt whose answer gave it. */
  readonly interactionId?: InteractionId;
  readonly toolName?: string;
  /** What was shown. */
  readonly title?: string;
  readonly subject?: Subject;
  readonly digest?: string;
  /** The wider consent that was chosen; without it the grant covers exactly its key (APR7). */
  readonly rule?: Rule;
  /** It came from a hidden call: who sees what it covers (TEAM1). Others see that there is a grant, and may revoke it. */
  readonly hiddenFor?: readonly Asked[];
}

/** All we know of the giver: `always` takes an operator, and grants of earlier releases say no more of the role. */
export function giverOf({ scope, by }: { readonly scope: ApprovalScope; readonly by: Actor }): Principal {
  const { principal: id, name, owner, role } = by;
  const isOperator = scope === 'always' || role === 'operator';
  return { id, name, owner, role: isOperator ? 'operator' : 'responder' };
}

/** What a grant would have to cover. */
export interface GrantWish {
  readonly plugin: string;
  readonly key: string;
  readonly sessionId: SessionId;
}

/** A grant to use: one of these ids, if it says which. */
export interface GrantChoice extends GrantWish {
  readonly among?: readonly string[];
}

/** Whose revocation it was, as far as a token tells. */
export type Revoker = Pick<Actor, 'principal' | 'name'> & { readonly role?: Role };
