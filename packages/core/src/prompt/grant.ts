import { ToolError } from '../basics/error.ts';
import type { InteractionId, SessionId } from '../basics/id.ts';
import { canonicalise, isJson, isRecord, type Json } from '../basics/json.ts';
import type { Actor, ApprovalScope, Subject } from './interaction.ts';
import type { Asked, Principal, Role } from './role.ts';
import type { Rule } from './rule.ts';

export type GrantKey = string | readonly Json[];

/**
 * Returns the text under which a plugin's key is stored, next to the plugin's name. Plugins' keys are strings and lists, Parley's
 * own are objects, so they never collide; and no two keys have the same text (APR1).
 * @throws ToolError `tool_error` for an invalid key. A value that JSON would change could be mistaken for another key.
 */
export function nameGrant(key: GrantKey): string {
  const isKey = (typeof key === 'string' || Array.isArray(key)) && isJson(key);
  if (!isKey) throw new ToolError('tool_error', 'The key of an approval must be a string or a list of JSON values.');
  return canonicalise(key);
}

/** A tool's name and the revision of its definition. */
interface DefinedTool {
  readonly name: string;
  readonly revision?: string;
}

/**
 * Returns the key of a lasting consent at the policy gate: this tool, as currently defined, with exactly these parsed arguments
 * (APR3).
 */
export function nameCallGrant({ name, revision }: DefinedTool, args: Json): string {
  return canonicalise({ tool: name, args, ...(revision !== undefined && { revision }) });
}

/** Returns the key of a lasting consent to a request of one outside program; it covers no other caller (ASK3). */
export function nameCallerGrant(principal: string, name: string): string {
  return canonicalise({ caller: principal, key: JSON.parse(name) });
}

/**
 * Meaning of the stored key of an exact consent: calls with exactly these arguments, or a plugin's key, for one caller only if it
 * names one.
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
  /** Time after which it covers nothing and is not listed. */
  readonly expiresAt?: string;
  /** Actor that consented; absent if a plugin set the grant itself. */
  readonly by?: Actor;
  /** Prompt whose answer created it. */
  readonly interactionId?: InteractionId;
  readonly toolName?: string;
  /** Title that was shown. */
  readonly title?: string;
  readonly subject?: Subject;
  readonly digest?: string;
  /** Set if a passkey signed the answer that gave it: otherwise it covers nothing that demands one (SIGN2). */
  readonly isSigned?: true;
  /** The wider consent that was chosen; without it the grant covers exactly its key (APR7). */
  readonly rule?: Rule;
  /** Who took the reviewers off the tool. Such a row allows nothing: see `isReviewerOff` (LESS3). */
  readonly takenOffBy?: Actor;
  /**
   * Set if it came from a hidden call: who may see what it covers (TEAM1). Others see that the grant exists, and may revoke it.
   */
  readonly hiddenFor?: readonly Asked[];
}

/**
 * Returns the label of a grant's rule as the log of its use has it, so that what it let pass is known after it was revoked. Only
 * for rules of the session itself: its viewers may not see what was allowed elsewhere, nor what hidden calls are about (SEC4).
 */
export function ruleOfUse({ sessionId, rule, hiddenFor }: Grant): { readonly rule?: string } {
  return rule && sessionId !== undefined && !hiddenFor ? { rule: rule.label } : {};
}

/** Derives the giver's principal: `always` takes an operator, and grants of earlier releases do not store the role. */
export function giverOf({ scope, by }: { readonly scope: ApprovalScope; readonly by: Actor }): Principal {
  const { principal: id, name, owner, role } = by;
  const isOperator = scope === 'always' || role === 'operator';
  return { id, name, owner, role: isOperator ? 'operator' : 'responder' };
}

/** A key to be covered, in a session. */
export interface GrantWish {
  readonly plugin: string;
  readonly key: string;
  readonly sessionId: SessionId;
}

/** A request to use a grant, of these ids if `among` is given. */
export interface GrantChoice extends GrantWish {
  readonly among?: readonly string[];
}

/** The principal that revokes a grant, as far as its token identifies it. */
export type Revoker = Pick<Actor, 'principal' | 'name'> & { readonly role?: Role };
