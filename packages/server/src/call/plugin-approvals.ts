import {
  type ApprovalDesk,
  type ApprovalScope,
  type Approvals,
  approvalScopes,
  type Consent,
  type Json,
  nameGrant,
  type SessionId,
  ToolError,
} from '@parleyhq/core';
import { makeGrant } from '../grant/grant-from-answer.ts';
import { judgeCall } from '../tools/policy.ts';
import type { RegisteredTool } from '../tools/tool-registry.ts';
import type { CallRunner } from './call-runner.ts';

/**
 * Keys are canonical and stand under their plugin's name: no two collide, no plugin sees another's. A call uses a grant once,
 * however often it looks, and also when it is entered again; a `once` grant stays with the call that took it (APR1).
 */
export function makeApprovals(runner: CallRunner, plugin: string): Approvals {
  const { runtime, session, journal, call } = runner;
  const { grants } = runtime.store;
  const taken = new Map<string, ApprovalScope>();
  const made = new Set<string>();
  const tell = (scope: ApprovalScope, sessionId: SessionId) =>
    runtime.onGrantsChange(scope === 'always' ? undefined : sessionId);
  const noteIn = (key: string) => ({ sessionId: session.id, toolCallId: call.toolCallId, key });
  return {
    async get(key, sessionId = session.id) {
      const wish = { plugin, key: nameGrant(key), sessionId };
      const note = `grant:${sessionId}:${wish.key}`;
      const known = taken.get(note) ?? recordedScope(journal.recorded(note));
      if (known === 'once') return known;
      if (known && !taken.has(note)) {
        taken.set(note, known); // as it was before the restart: a handler comes back the way it went
        return known;
      }
      if (known) return (await grants.list(runtime.now(), wish)).at(-1)?.scope;
      runner.requireOpen();
      const scope = (await grants.take(wish, runtime.now(), noteIn(note)))?.scope; // mutant: grant-note
      if (!scope) return undefined;
      taken.set(note, scope);
      tell(scope, sessionId);
      return scope;
    },
    async set(key, scope, sessionId = session.id) {
      if (!approvalScopes.includes(scope)) throw new ToolError('tool_error', `"${scope}" is no scope of an approval.`);
      const name = nameGrant(key);
      const note = `set:${scope}:${sessionId}:${name}`;
      const isRepeated = !made.has(note) && journal.recorded(note) !== undefined;
      made.add(note);
      if (isRepeated) return; // a call that is entered again must neither undo a revocation nor give twice
      runner.requireOpen();
      const createdAt = new Date(runtime.now()).toISOString();
      const where = scope === 'always' ? undefined : sessionId;
      await grants.put(
        { id: runtime.newId(), plugin, key: name, scope, sessionId: where, createdAt, uses: 0 },
        noteIn(note),
      );
      tell(scope, sessionId);
    },
    async clearSession(sessionId = session.id) {
      taken.clear();
      await grants.revoke({ plugin, sessionId });
      tell('session', sessionId);
    },
  };
}

/** `true` stood for `once` in records of earlier releases. */
function recordedScope(value: unknown): ApprovalScope | undefined {
  return value === true ? 'once' : (value as ApprovalScope | undefined);
}

/** What `ctx.approve` does its work with (APR2). */
export function makeDesk(
  runner: CallRunner,
  { tool, plugin, parse }: RegisteredTool,
  approvals: Approvals,
  callArgs: Json,
): Omit<ApprovalDesk, 'callArgs'> {
  const { runtime, session, journal } = runner;
  return {
    async find(key, slot) {
      if (journal.find(slot)) return undefined; // asked before a restart: that answer counts, if it is the same question
      const leave = judgeCall(tool, runtime.policies, session.row.permissionMode); // of now: the mode changes while calls run
      if (leave.kind === 'deny') return { approved: false, code: 'denied', reason: leave.reason };
      if (leave.kind === 'allow') return { approved: true, scope: 'once' };
      const scope = await approvals.get(key);
      return scope && { approved: true, scope };
    },
    ask({ subject = showArgs(callArgs), ...demand }, offer) {
      return runner.requestInteraction({ ...demand, subject }, offer);
    },
    keep: (consent) => keepGrant(runner, plugin.name, consent),
    parse,
  };
}

/** A lasting consent to edited arguments, once: a call that is entered again must not undo a revocation. */
export async function keepGrant(runner: CallRunner, plugin: string, consent: Consent): Promise<void> {
  const { runtime, session, journal, call } = runner;
  const { answer, key, scope, title, ttlMs } = consent;
  const { interactionId, by, editedArgs } = answer;
  const note = `granted:${interactionId}`;
  if (journal.recorded(note) !== undefined) return;
  runner.requireOpen();
  const { toolCallId, toolName } = call;
  const shown = { toolName, subject: showArgs(editedArgs), ...(title !== undefined && { title }) };
  const grant = makeGrant(session.id, { ...shown, interactionId, plugin, key, scope, by, ttlMs }, runtime.now());
  await runtime.store.grants.put(grant, { sessionId: session.id, toolCallId, key: note });
  runtime.onGrantsChange(grant.sessionId);
  runtime.onGrant(grant.sessionId);
}

/** Arguments as a person reads them. */
export function showArgs(args: Json | undefined): { kind: 'json'; text: string } {
  return { kind: 'json', text: JSON.stringify(args, null, 2) };
}
