import {
  approvalScopes,
  type Grant,
  gateSlot,
  type InteractionAnswer,
  type InteractionDemand,
  isRecord,
  type Json,
  maxShownLength,
  nameCallGrant,
  nameInteraction,
  type Outcome,
  recoverySlot,
  type ToolCall,
  ToolError,
  toToolError,
} from '@parleyhq/core';
import { findGrant } from '../grant/grant-cover.ts';
import type { Runtime } from '../runtime.ts';
import type { LiveSession } from '../session/live-session.ts';
import { judgeCall } from '../tools/policy.ts';
import type { RegisteredTool } from '../tools/tool-registry.ts';
import type { CallRunner } from './call-runner.ts';
import { keepGrant, showArgs } from './plugin-approvals.ts';

/** Who decides that a call may run, as its event is to say, and the grant that it rests on. */
export interface Authorisation {
  readonly authorised: ToolCall['authorised'];
  readonly grant?: Grant;
}

/**
 * Before a call is stored: a policy, the session's mode, a grant of its own arguments, or the person who is asked under
 * `.0`; else its tool, which may ask for itself (APR3).
 */
export async function authorise(
  runtime: Runtime,
  session: LiveSession,
  { toolCallId, toolName, args }: ToolCall,
): Promise<Authorisation> {
  const registered = runtime.tools.get(toolName, session.head.turn?.agent);
  if (!registered) return { authorised: { by: 'tool' } };
  const leave = judgeCall(registered.tool, runtime.policies, session.row.permissionMode);
  if (leave.kind === 'allow' || leave.kind === 'deny') return { authorised: { by: leave.by } };
  if (leave.kind === 'tool' && !(await demandsLeave(registered, args))) return { authorised: { by: 'tool' } };
  const grant = await findGrant(runtime, session, { toolName, key: nameCallGrant(toolName, args) });
  if (grant) return { authorised: { by: 'grant', grantId: grant.id }, grant };
  return { authorised: { by: 'person', interactionId: nameInteraction(toolCallId, 0) } };
}

/** Whether the tool's own rule says that a person is to be asked. What fails here fails again, and is told, when the call runs. */
async function demandsLeave(registered: RegisteredTool, args: Json): Promise<boolean> {
  try {
    return await asksFirst(registered, args);
  } catch {
    return false;
  }
}

async function asksFirst({ tool, parse }: RegisteredTool, args: Json): Promise<boolean> {
  const { approval: rule = 'never' } = tool;
  return rule === 'always' || (typeof rule === 'function' && Boolean(await rule(await parse(args))));
}

/**
 * Asks before the handler runs where a policy or the tool says so, and lets nothing by that policy or mode forbid (APR3).
 * Everything but a consent stops the call.
 * @returns what was consented to: the arguments as they were shown, or as the person changed them
 * @throws ToolError `denied`, `cancelled` or `timeout`
 */
export async function passGate(runner: CallRunner, registered: RegisteredTool): Promise<Json> {
  const { args, toolName } = runner.call;
  if (!(await mustAsk(runner, registered))) return args;
  const demand: InteractionDemand = {
    type: 'approval',
    subject: showArgs(args),
    approvalScopes: [...approvalScopes],
    editable: true,
    onResponse: (answer) => judgeEdit(registered, answer),
  };
  const source = { kind: 'policy', name: registered.plugin.name } as const;
  const answer = await runner.interact(demand, gateSlot, source, { key: nameCallGrant(toolName, args) });
  if (!isRecord(answer) || answer.error === 'timeout') throw new ToolError('timeout', 'Nobody allowed this in time.');
  const { action, approvalScope: scope = 'once', reason, editedArgs } = answer as unknown as InteractionAnswer;
  if (action !== 'approve') {
    throw new ToolError(action === 'cancel' ? 'cancelled' : 'denied', reason ?? 'A person did not allow this.');
  }
  if (editedArgs === undefined) return args;
  const consent = { answer: answer as unknown as InteractionAnswer, key: nameCallGrant(toolName, editedArgs) };
  if (scope !== 'once') await keepGrant(runner, registered.plugin.name, { ...consent, scope });
  return editedArgs;
}

/** @throws ToolError `denied` */
async function mustAsk({ runtime, session, journal, call }: CallRunner, registered: RegisteredTool): Promise<boolean> {
  const leave = judgeCall(registered.tool, runtime.policies, session.row.permissionMode); // of now: it may have changed since
  if (leave.kind === 'deny') throw new ToolError('denied', leave.reason);
  if (journal.find(gateSlot)) return true; // asked before a restart: that answer counts
  const by = call.authorised?.by;
  if (leave.kind === 'allow' || by === 'grant') return false;
  return leave.kind === 'ask' || by === 'person' || asksFirst(registered, call.args);
}

/** Edited arguments must be those of the tool, or the person is asked again. */
async function judgeEdit({ parse }: RegisteredTool, answer: InteractionAnswer): Promise<Outcome> {
  try {
    if (answer.action === 'approve' && answer.editedArgs !== undefined) await parse(answer.editedArgs);
    return { complete: { ...answer } };
  } catch (error) {
    return { reprompt: { error: toToolError(error).message } };
  }
}

/** Whether a call that a stop cut off may run again: its tool decides, or a person. Nothing runs twice in silence (DUR4). */
export async function mayRunAgain(
  runner: CallRunner,
  { onInterrupted, readOnly }: RegisteredTool['tool'],
): Promise<boolean> {
  const rule = onInterrupted ?? (readOnly ? 'retry' : 'ask');
  if (rule !== 'ask') return rule === 'retry';
  const { toolName, args } = runner.call;
  const subject = showArgs(args);
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
