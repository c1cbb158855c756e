import {
  type ApprovalDesk,
  type ApprovalScope,
  type Approvals,
  approvalScopes,
  type Consent,
  type GrantKey,
  type Instant,
  type Json,
  nameGrant,
  type SessionId,
  ToolError,
} from '@parleyhq/core';
import type { GrantBook } from '../grant/grant-book.ts';
import { makeGrant } from '../grant/grant-from-answer.ts';
import { newId } from '../node/new-id.ts';
import { judgeCall, type Policy } from '../tools/policy.ts';
import type { RegisteredTool } from '../tools/tool-registry.ts';
import type { Asker } from './asker.ts';
import type { CallWriter } from './call-writer.ts';
import type { Journal } from './journal.ts';

export interface CallGrantsOptions {
  readonly parts: { readonly journal: Journal; readonly writer: CallWriter };
  readonly grants: GrantBook;
  now(): Instant;
}

/**
 * One call's way to the grants of its plugin. Keys are canonical and stand under the plugin's name: no two collide, no plugin
 * sees another's. A call uses a grant once, however often it looks, and also when it is entered again; a `once` grant
 * stays with the call that took it (APR1).
 */
export class CallGrants implements Approvals {
  readonly #options: CallGrantsOptions;
  readonly #plugin: string;
  readonly #taken = new Map<string, ApprovalScope>();
  readonly #made = new Set<string>();

  constructor(plugin: string, options: CallGrantsOptions) {
    this.#plugin = plugin;
    this.#options = options;
  }

  async get(key: GrantKey, sessionId: SessionId = this.#sessionId): Promise<ApprovalScope | undefined> {
    const { parts, grants } = this.#options;
    const wish = { plugin: this.#plugin, key: nameGrant(key), sessionId };
    const note = `grant:${sessionId}:${wish.key}`;
    const known = this.#taken.get(note) ?? recordedScope(parts.journal.recorded(note));
    if (known === 'once') return known;
    if (known && !this.#taken.has(note)) {
      this.#taken.set(note, known); // as it was before the restart: a handler comes back the way it went
      return known;
    }
    if (known) return (await grants.covering(wish)).at(-1)?.scope;
    parts.writer.requireOpen();
    const scope = (await grants.take(wish, this.#noteIn(note)))?.scope;
    if (scope) this.#taken.set(note, scope);
    return scope;
  }

  async set(key: GrantKey, scope: ApprovalScope, sessionId: SessionId = this.#sessionId): Promise<void> {
    if (!approvalScopes.includes(scope)) throw new ToolError('tool_error', `"${scope}" is not a scope of an approval.`);
    const { parts, grants, now } = this.#options;
    const name = nameGrant(key);
    const note = `set:${scope}:${sessionId}:${name}`;
    const isRepeated = !this.#made.has(note) && parts.journal.recorded(note) !== undefined;
    this.#made.add(note);
    if (isRepeated) return; // a call that is entered again must neither undo a revocation nor give twice
    parts.writer.requireOpen();
    const createdAt = new Date(now()).toISOString();
    const where = scope === 'always' ? undefined : sessionId;
    const grant = { id: newId(), plugin: this.#plugin, key: name, scope, sessionId: where, createdAt, uses: 0 };
    await grants.give(grant, this.#noteIn(note));
  }

  async clearSession(sessionId: SessionId = this.#sessionId): Promise<void> {
    this.#taken.clear();
    await this.#options.grants.clear(this.#plugin, sessionId);
  }

  /** A lasting consent to edited arguments, once: a call that is entered again must not undo a revocation. */
  async keep({ answer, key, scope, title, ttlMs }: Consent): Promise<void> {
    const { parts, grants, now } = this.#options;
    const { interactionId, by, editedArgs } = answer;
    const note = `granted:${interactionId}`;
    if (parts.journal.recorded(note) !== undefined) return;
    parts.writer.requireOpen();
    const { toolName } = parts.writer.call;
    const shown = { toolName, subject: showArgs(editedArgs), ...(title !== undefined && { title }) };
    const given = { ...shown, interactionId, plugin: this.#plugin, key, scope, by, ttlMs };
    await grants.give(makeGrant(this.#sessionId, given, now()), this.#noteIn(note));
  }

  get #sessionId(): SessionId {
    return this.#options.parts.writer.session.id;
  }

  #noteIn(key: string) {
    return { sessionId: this.#sessionId, toolCallId: this.#options.parts.writer.call.toolCallId, key };
  }
}

/** `true` stood for `once` in records of earlier releases. */
function recordedScope(value: unknown): ApprovalScope | undefined {
  return value === true ? 'once' : (value as ApprovalScope | undefined);
}

export interface ApprovalDeskOptions {
  readonly parts: { readonly journal: Journal; readonly writer: CallWriter };
  readonly asker: Asker;
  readonly grants: CallGrants;
  readonly policies: readonly Policy[];
}

/** What `ctx.approve` does its work with (APR2). */
export function makeApprovalDesk(
  { parts, asker, grants, policies }: ApprovalDeskOptions,
  { tool, parse }: RegisteredTool,
  callArgs: Json,
): Omit<ApprovalDesk, 'callArgs'> {
  const { session } = parts.writer;
  return {
    async find(key, slot, isEdit = tool.edits ?? false) {
      if (parts.journal.find(slot)) return undefined; // asked before a restart: that answer counts, if it is the same question
      const permission = judgeCall({ ...tool, edits: isEdit }, policies, session.row.permissionMode); // of now: the mode changes while calls run
      if (permission.kind === 'deny') return { approved: false, code: 'denied', reason: permission.reason };
      if (permission.kind === 'allow') return { approved: true, scope: 'once' };
      const scope = await grants.get(key);
      return scope && { approved: true, scope };
    },
    ask: ({ subject = showArgs(callArgs), ...demand }, offer) =>
      asker.requestInteraction({ ...demand, subject }, offer),
    keep: (consent) => grants.keep(consent),
    parse,
  };
}

/** Arguments as a person reads them. */
export function showArgs(args: Json | undefined): { kind: 'json'; text: string } {
  return { kind: 'json', text: JSON.stringify(args, null, 2) };
}
