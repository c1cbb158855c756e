import {
  type Actor,
  type Asked,
  askedIn,
  type CallArgs,
  dependsOnRequesters,
  type Grant,
  type Head,
  isSameJson,
  nameCallGrant,
  nameInteraction,
  needsSeveral,
  personOf,
  type ToolCall,
} from '@parleyhq/core';
import { limitTime } from '../node/limit-time.ts';
import type { LiveSession } from '../session/live-session.ts';
import { findAsking, judgeCall } from '../tools/policy.ts';
import type { RegisteredTool } from '../tools/tool-registry.ts';
import { describeCall } from './call-description.ts';
import type { CallServices, Toolbox } from './call-services.ts';
import { refuseSlow } from './slow-tool.ts';

/** Who decides that a call may run, and what it runs with, as its event is to say; and the grant that it rests on. */
export interface Authorisation {
  readonly said: Pick<ToolCall, 'authorised' | 'parsedArgs'>;
  readonly grant?: Grant;
}

type Services = Pick<CallServices, 'toolbox' | 'grants' | 'asking'>;

/**
 * Before a call is stored: its arguments are read, and from then on are what the tool makes of them (APR2). It is allowed by a policy,
 * the session's mode, a grant of these arguments, or the person who is asked under `.0`; else by its tool, which may ask for itself (APR3).
 */
export async function authorise(services: Services, session: LiveSession, call: ToolCall): Promise<Authorisation> {
  const registered = services.toolbox.registry.get(call.toolName, session.head.turn?.agent);
  const args = await registered?.read(call.args).catch(() => undefined); // it is refused when it runs, in words
  if (!registered || !args) return { said: { authorised: { by: 'tool' } } };
  const { authorised, grant } = await judge(services, session, call, registered, args);
  const isAsWritten = isSameJson(args.json, call.args);
  return { said: { authorised, ...(!isAsWritten && { parsedArgs: args.json }) }, ...(grant && { grant }) };
}

async function judge(
  { toolbox, grants, asking }: Services,
  session: LiveSession,
  { toolCallId, toolName, parentToolCallId, by }: ToolCall,
  registered: RegisteredTool,
  args: CallArgs,
): Promise<Pick<ToolCall, 'authorised'> & { readonly grant?: Grant }> {
  const agent = session.head.turn?.agent;
  const limitMs = registered.tool.timeoutMs ?? asking.durations.toolTimeoutMs;
  const gated = await toolbox.gates.judge(session, toolCallId, registered, args.json);
  const permission = judgeCall(registered.tool, toolbox.policies, session.row.permissionMode, gated);
  if (permission.kind === 'allow' || permission.kind === 'deny') return { authorised: { by: permission.by } };
  if (permission.kind === 'tool' && !(await toolAsksFirst(registered, args, limitMs)))
    return { authorised: { by: 'tool' } };
  const byPerson = { authorised: { by: 'person', interactionId: nameInteraction(toolCallId, 0) } } as const;
  const described = await describeCall(registered, args, limitMs).catch(() => undefined); // told when it fails again at the gate
  if (!described) return byPerson;
  const ruled = registered.tool.rules && { args };
  const { audience, decide } = findAsking(toolbox.policies, toolName);
  if (needsSeveral({ decide })) return byPerson; // no grant stands for a vote (TEAM3)
  const asked = askedBy(by, askedIn(session.head, { audience, risk: described.risk }, parentToolCallId));
  const grant = await grants.find(session.id, agent, {
    toolName,
    key: nameCallGrant(registered.tool, args.json),
    asked,
    ruled,
  });
  if (!grant) return byPerson;
  const { revision } = registered.tool;
  return { authorised: { by: 'grant', grantId: grant.id, ...(revision !== undefined && { revision }) }, grant };
}

/** A program's call is not in the head yet, and its owner is a requester of what it asks (TEAM2). */
function askedBy(by: Actor | undefined, asked: Asked): Asked {
  return by ? { ...asked, requesters: [...new Set([...(asked.requesters ?? []), personOf(by)])] } : asked;
}

/** Who sees a call that the configuration hides, for its event to say (TEAM1). */
export function hidingOfCall(
  { policies }: Toolbox,
  head: Head,
  { toolName, parentToolCallId, by }: Pick<ToolCall, 'toolName' | 'parentToolCallId' | 'by'>,
): Pick<ToolCall, 'visibility' | 'audience' | 'requesters'> {
  const { visibility, audience } = findAsking(policies, toolName);
  if (!visibility) return {};
  const { requesters } = askedBy(by, askedIn(head, { audience }, parentToolCallId));
  const isNeeded = requesters !== undefined && dependsOnRequesters({ audience });
  return { visibility, ...(audience && { audience }), ...(isNeeded && { requesters: [...requesters] }) };
}

/** Whoever is to see the input of a call while it is written: its tool has no name yet, and may be any that is hidden. */
export function inputWatchers({ policies }: Toolbox, head: Head): readonly Asked[] {
  return policies.flatMap(({ visibility, audience }) => (visibility ? askedIn(head, { audience }, undefined) : []));
}

/** Whether the tool's own rule says that a person is to be asked. A failure here is told when it fails again in the call. */
async function toolAsksFirst(registered: RegisteredTool, args: CallArgs, limitMs: number): Promise<boolean> {
  try {
    return await asksFirst(registered, args, limitMs);
  } catch {
    return false;
  }
}

/**
 * What the tool's `approval` says.
 * @throws ToolError `handler_timeout` after `limitMs` (INT12), or what the rule throws
 */
export async function asksFirst({ tool }: RegisteredTool, args: CallArgs, limitMs: number): Promise<boolean> {
  const { approval: rule = 'never' } = tool;
  if (typeof rule !== 'function') return rule === 'always';
  return Boolean(await limitTime(limitMs, () => rule(args.value()), refuseSlow('approval')));
}
