import {
  type Actor,
  type ApprovalDesk,
  type Approvals,
  approvalScopes,
  canonicalise,
  type Grant,
  ToolError,
} from '@parley/core';
import type { CallRunner } from './call.ts';
import { judgeCall } from './policy.ts';
import type { RegisteredTool } from './tool-registry.ts';

/**
 * Keys are canonical and stand under their plugin's name: no two collide, no plugin sees another's. A `once` grant stays with
 * the call that took it, also when the call is entered again (APR1).
 */
export function makeApprovals(runner: CallRunner, plugin: string): Approvals {
  const { runtime, session, journal } = runner;
  const { grants } = runtime.store;
  const taken = new Set<string>();
  return {
    async get(key, sessionId = session.id) {
      const name = canonicalise(key);
      const record = `grant:${sessionId}:${name}`;
      if (taken.has(record) || journal.recorded(record) === true) return 'once';
      const scope = (await grants.take(plugin, name, sessionId, runtime.now()))?.scope;
      if (scope === 'once') {
        taken.add(record);
        await runner.record(record, true);
      }
      return scope;
    },
    async set(key, scope, sessionId = session.id) {
      if (!approvalScopes.includes(scope)) throw new ToolError('tool_error', `"${scope}" is no scope of an approval.`);
      await grants.put({
        id: runtime.newId(),
        plugin,
        key: canonicalise(key),
        scope,
        sessionId: scope === 'always' ? undefined : sessionId,
        createdAt: new Date(runtime.now()).toISOString(),
        uses: 0,
      });
    },
    async clearSession(sessionId = session.id) {
      taken.clear();
      await grants.revoke({ plugin, sessionId });
    },
  };
}

/** What `ctx.approve` does its work with (APR2). */
export function makeDesk(
  runner: CallRunner,
  { tool, plugin, parse }: RegisteredTool,
  approvals: Approvals,
): Omit<ApprovalDesk, 'args'> {
  const { runtime, session, journal, call } = runner;
  return {
    async find(key, slot) {
      if (journal.find(slot)) return undefined; // asked before a restart: that answer counts, if it is the same question
      const leave = judgeCall(tool, runtime.policies, session.row.permissionMode); // of now: the mode changes while calls run
      if (leave.kind === 'deny') return { approved: false, code: 'denied', reason: leave.reason };
      if (leave.kind === 'allow') return { approved: true, scope: 'once' };
      const scope = await approvals.get(key);
      return scope && { approved: true, scope };
    },
    ask({ subject = showArgs(runner), ...demand }, grantKey) {
      return runner.requestInteraction({ ...demand, subject }, grantKey);
    },
    async keep({ key, scope, answer, shown, ttlMs }) {
      const { interactionId } = answer;
      const record = `granted:${interactionId}`;
      if (journal.recorded(record) === true) return; // a call that is entered again must not undo a revocation
      const now = runtime.now();
      const grant: Grant = {
        id: `${session.id}:${interactionId}`,
        plugin: plugin.name,
        key: canonicalise(key),
        scope,
        sessionId: scope === 'always' ? undefined : session.id,
        createdAt: new Date(now).toISOString(),
        uses: 0,
        ...(ttlMs !== undefined && { expiresAt: new Date(now + ttlMs).toISOString() }),
        by: answer.by as Actor,
        interactionId,
        toolName: call.toolName,
        ...(shown.title !== undefined && { title: shown.title }),
        subject: shown.subject ?? showArgs(runner, answer.editedArgs),
      };
      await runtime.store.grants.put(grant);
      await runner.record(record, true);
      runtime.onGrant(grant.sessionId);
    },
    parse,
  };
}

/** The arguments as a person reads them. */
export function showArgs({ call }: CallRunner, args: unknown = call.args): { kind: 'json'; text: string } {
  return { kind: 'json', text: JSON.stringify(args, null, 2) };
}
