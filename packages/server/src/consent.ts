import { gateSlot, type InteractionDemand, isRecord, maxShownLength, recoverySlot, ToolError } from '@parley/core';
import { showArgs } from './approvals.ts';
import type { CallRunner } from './call.ts';
import { judgeCall } from './policy.ts';
import type { RegisteredTool } from './tool-registry.ts';

/**
 * Asks before the handler runs where a policy or the tool says so, and lets nothing by that policy or mode forbid (APR3).
 * Everything but a consent stops the call.
 * @throws ToolError `denied`, `cancelled` or `timeout`
 */
export async function passGate(runner: CallRunner, { tool, plugin }: RegisteredTool, args: unknown): Promise<void> {
  if (!(await mustAsk(runner, tool, args))) return;
  const demand: InteractionDemand = { type: 'approval', subject: showArgs(runner), approvalScopes: ['once'] };
  const answer = await runner.interact(demand, gateSlot, { kind: 'policy', name: plugin.name });
  if (!isRecord(answer) || answer.error === 'timeout') throw new ToolError('timeout', 'Nobody allowed this in time.');
  if (answer.action === 'approve') return;
  const reason = typeof answer.reason === 'string' ? answer.reason : 'A person did not allow this.';
  throw new ToolError(answer.action === 'cancel' ? 'cancelled' : 'denied', reason);
}

/** @throws ToolError `denied` */
async function mustAsk(runner: CallRunner, tool: RegisteredTool['tool'], args: unknown): Promise<boolean> {
  const leave = judgeCall(tool, runner.runtime.policies, runner.session.row.permissionMode);
  if (leave.kind !== 'deny' && runner.journal.find(gateSlot)) return true; // asked before a restart: that answer counts
  switch (leave.kind) {
    case 'deny':
      throw new ToolError('denied', leave.reason);
    case 'ask':
      return true;
    case 'allow':
      return false;
    case 'tool': {
      const rule = tool.approval ?? 'never';
      return rule === 'always' || (typeof rule === 'function' && (await rule(args)));
    }
    default:
      return leave satisfies never;
  }
}

/** Whether a call that a stop cut off may run again: its tool decides, or a person. Nothing runs twice in silence (DUR4). */
export async function mayRunAgain(
  runner: CallRunner,
  { onInterrupted, readOnly }: RegisteredTool['tool'],
): Promise<boolean> {
  const rule = onInterrupted ?? (readOnly ? 'retry' : 'ask');
  if (rule !== 'ask') return rule === 'retry';
  const { toolName } = runner.call;
  const subject = showArgs(runner);
  if (subject.text.length > maxShownLength) return false; // nobody could read what they would consent to (SEC5)
  const demand: InteractionDemand = {
    type: 'approval',
    title: `The server stopped while ${toolName} was running`,
    prompt: `The server stopped while ${toolName} was running: run again / treat as failed`,
    subject,
    approvalScopes: ['once'],
    timeoutMs: null,
    onUnavailable: 'wait',
  };
  const answer = await runner.interact(demand, recoverySlot, { kind: 'recovery', name: toolName });
  return isRecord(answer) && answer.action === 'approve';
}
