import {
  type Actor,
  type Asked,
  askedIn,
  type CallArgs,
  type CallDescription,
  dependsOnRequesters,
  type Grant,
  type Head,
  isSameJson,
  nameCallGrant,
  nameInteraction,
  needsSeveral,
  type OfferedRule,
  personOf,
  ruleOfUse,
  type ToolCall,
  takesSuggestions,
} from '@parleyhq/core';
import { limitTime } from '../node/limit-time.ts';
import type { SessionWriter } from '../session/session-writer.ts';
import { findAsking, judgeCall } from '../tools/policy.ts';
import { demandsStepUp, withoutStandIns } from '../tools/step-up.ts';
import type { RegisteredTool } from '../tools/tool-registry.ts';
import { describeCall, digestOfDescription } from './call-description.ts';
import { reviewCall, toAuthorised } from './call-review.ts';
import type { CallServices, Toolbox } from './call-services.ts';
import { refuseSlow } from './slow-tool.ts';

/** What the call's event records about its authorisation, and the grant it rests on. */
export interface Authorisation {
  readonly said: Pick<ToolCall, 'authorised' | 'parsedArgs'>;
  readonly grant?: Grant;
}

type Services = Pick<CallServices, 'toolbox' | 'grants' | 'asking' | 'host'>;

/**
 * Authorises a call before it is stored. Its arguments are read; from then on they are what the tool made of them (APR2). The
 * call is allowed by a policy, the session's mode, a grant for these arguments, a reviewer or a person asked in slot `.0`; otherwise
 * by its tool, which may ask by itself (APR3).
 * @param signal - aborts when the call is no longer wanted
 */
export async function authorise(
  services: Services,
  session: SessionWriter,
  call: ToolCall,
  signal?: AbortSignal,
): Promise<Authorisation> {
  const registered = services.toolbox.registry.get(call.toolName, session.head.turn?.agent);
  const args = await registered?.read(call.args).catch(() => undefined); // the call is rejected with an explanation when it runs
  if (!registered || !args) return { said: { authorised: { by: 'tool' } } };
  const { authorised, grant } = await judge(services, session, call, { registered, args, signal });
  const isAsWritten = isSameJson(args.json, call.args);
  return { said: { authorised, ...(!isAsWritten && { parsedArgs: args.json }) }, ...(grant && { grant }) };
}

async function judge(
  { toolbox, grants, asking, host }: Services,
  session: SessionWriter,
  call: ToolCall,
  { registered, args, signal }: { registered: RegisteredTool; args: CallArgs; signal: AbortSignal | undefined },
): Promise<Pick<ToolCall, 'authorised'> & { readonly grant?: Grant }> {
  const { toolCallId, toolName, parentToolCallId, by } = call;
  const agent = session.head.turn?.agent;
  const limitMs = registered.tool.timeoutMs ?? asking.durations.toolTimeoutMs;
  const gated = await toolbox.gates.judge(session, toolCallId, registered, args.json);
  const { stepUp } = asking;
  const judged = judgeCall(registered.tool, toolbox.policies, session.row.permissionMode, gated);
  const permission = stepUp
    ? await withoutStandIns(judged, stepUp, { toolName, findRisk: () => findRisk(registered, args, limitMs) })
    : judged;
  if (permission.kind === 'allow' || permission.kind === 'deny') return { authorised: { by: permission.by } };
  if (permission.kind === 'tool' && !(await toolAsksFirst(registered, args, limitMs)))
    return { authorised: { by: 'tool' } };
  const { revision } = registered.tool;
  const revised = revision !== undefined && { revision };
  const byPerson = {
    authorised: { by: 'person', interactionId: nameInteraction(toolCallId, 0), ...revised },
  } as const;
  // reported when it fails again at the gate
  const described = await describeCall(registered, args, limitMs).catch(() => undefined);
  if (!described) return byPerson;
  const { audience, decide, visibility } = findAsking(toolbox.policies, toolName);
  if (needsSeveral({ decide })) return byPerson; // a grant cannot replace a vote (TEAM3)
  const { risk } = described;
  const mark = stepUp && demandsStepUp(stepUp, { toolName, risk }) && ({ stepUp: true } as const);
  const asked = { ...askedBy(by, askedIn(session.head, { audience, risk }, parentToolCallId)), ...mark };
  const suggests = registered.suggestRules && takesSuggestions({ risk, decide, visibility, ...mark });
  const rules = suggests ? [] : await offeredRules(registered, args, limitMs).catch(() => []); // the gate reports an error
  const offer = { suggests, rules };
  const grant = await grants.find(session.id, agent, {
    toolName,
    key: nameCallGrant(registered.tool, args.json),
    asked,
    ruled: { args, offer },
  });
  if (!grant) {
    if (permission.kind !== 'review') return byPerson;
    const reviewing = { session, toolCallId, registered, args: args.json, described, signal };
    const { reviewers } = toolbox;
    const judged = await reviewers.once(call, () =>
      reviewCall({ reviewers, grants, store: host.store }, permission.review, reviewing),
    );
    if (!judged) return byPerson;
    const { reviewed, isPassed } = judged;
    if (!isPassed) return { authorised: { ...byPerson.authorised, reviewed } };
    return { authorised: { ...toAuthorised(reviewed), digest: digestOfDescription(described), ...revised } };
  }
  return { authorised: { by: 'grant', grantId: grant.id, ...ruleOfUse(grant), ...revised }, grant };
}

/** Returns the risk of a call as its tool describes it. If the tool cannot, the highest is assumed. */
export async function findRisk(
  registered: RegisteredTool,
  args: CallArgs,
  limitMs: number,
): Promise<CallDescription['risk']> {
  const described = await describeCall(registered, args, limitMs).catch(() => undefined);
  return described ? described.risk : 'high';
}

/** Adds the owner of a program's call to the requesters: the call is not in the head yet (TEAM2). */
function askedBy(by: Actor | undefined, asked: Asked): Asked {
  return by ? { ...asked, requesters: [...new Set([...(asked.requesters ?? []), personOf(by)])] } : asked;
}

/** Returns the members of a call's event that say who may see it, if the configuration hides it (TEAM1). */
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

/** Returns who may see a call's input while it is being written: its tool is not known yet and may be any hidden one. */
export function inputWatchers({ policies }: Toolbox, head: Head): readonly Asked[] {
  return policies.flatMap(({ visibility, audience }) => (visibility ? askedIn(head, { audience }, undefined) : []));
}

/** Returns the rules that the gate of a tool offers. @throws ToolError `handler_timeout` after `limitMs` (INT12), or its own error */
export async function offeredRules(
  { tool }: Pick<RegisteredTool, 'tool'>,
  args: CallArgs,
  limitMs: number,
): Promise<OfferedRule[] | undefined> {
  if (!tool.rules) return undefined;
  const rules = await limitTime(limitMs, () => tool.rules?.(args.value()), refuseSlow('rules'));
  return rules && [...rules];
}

/** Whether the tool's own `approval` asks a person. An error here is reported when it occurs again in the call. */
async function toolAsksFirst(registered: RegisteredTool, args: CallArgs, limitMs: number): Promise<boolean> {
  try {
    return await asksFirst(registered, args, limitMs);
  } catch {
    return false;
  }
}

/**
 * Evaluates the tool's `approval`.
 * @throws ToolError `handler_timeout` after `limitMs` (INT12), or the rule's own error
 */
export async function asksFirst({ tool }: RegisteredTool, args: CallArgs, limitMs: number): Promise<boolean> {
  const { approval: rule = 'never' } = tool;
  if (typeof rule !== 'function') return rule === 'always';
  return Boolean(await limitTime(limitMs, () => rule(args.value()), refuseSlow('approval')));
}
