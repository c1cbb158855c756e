import {
  approvalScopes,
  askAboutEdits,
  askedIn,
  type CallArgs,
  type CallDescription,
  callFaults,
  type EditAnswer,
  type Grant,
  gateSlot,
  type InteractionAnswer,
  type InteractionDemand,
  type InteractionSpec,
  isRecord,
  nameCallGrant,
  type Outcome,
  readApproved,
  showArgs,
  ToolError,
  toToolError,
  wordsOf,
} from '@parleyhq/core';
import type { GrantService } from '../grant/grant-service.ts';
import { judgeCall } from '../tools/policy.ts';
import { reviewableRisk } from '../tools/review.ts';
import { withoutStandIns } from '../tools/step-up.ts';
import type { RegisteredTool } from '../tools/tool-registry.ts';
import type { Asker } from './asker.ts';
import { asksFirst, findRisk, offeredRules } from './authorise.ts';
import { describeCall, digestOfDescription } from './call-description.ts';
import type { CallReviews } from './call-reviews.ts';
import type { Toolbox } from './call-services.ts';
import type { CallWriter } from './call-writer.ts';
import { makeEditDesk } from './edit-desk.ts';
import type { GateConsent } from './gate-consent.ts';
import type { Journal } from './journal.ts';
import type { CallGrants } from './plugin-approvals.ts';
import { digestOf } from './question-spec.ts';
import type { ReadOpenCall } from './read-call.ts';
import type { Waiters } from './waiters.ts';

export interface GateOptions {
  readonly asker: Asker;
  readonly parts: { readonly journal: Journal; readonly writer: CallWriter; readonly waiters: Waiters };
  readonly grants: CallGrants;
  readonly reviews: Pick<CallReviews, 'passedGate'>;
  readonly book: GrantService;
  readonly toolbox: Pick<Toolbox, 'policies' | 'gates'>;
  /** Time allowed to the tool's `approval` or its `rules`, in ms. */
  readonly limitMs: number;
}

export interface PassedGate {
  readonly args: CallArgs;
  readonly consent: GateConsent | undefined;
}

/**
 * Asks before the handler runs if a policy or the tool demands it, and stops what a policy or the mode forbids (APR3).
 * Without consent the call ends.
 * @returns the arguments as they were shown or as the person changed them, and the consent
 * @throws ToolError `denied`, `cancelled` or `timeout`
 */
export async function passGate(
  options: GateOptions,
  registered: RegisteredTool,
  call: Pick<ReadOpenCall, 'args' | 'isAsAuthorised'>,
): Promise<PassedGate> {
  const { args } = call;
  const { tool, plugin } = registered;
  if (!(await mustAsk(options, registered, call))) return { args, consent: await findGrant(options, registered, call) };
  const described = await describeCall(registered, args, options.limitMs);
  const asks = await makeSpec(options, registered, args, described);
  const judged: InteractionDemand = { ...asks, onResponse: (answer) => judgeEdit(options, registered, answer) };
  const demand = askAboutEdits(judged, makeEditDesk(gateSlot, { ...options, registered }));
  const source = { kind: 'policy', name: tool.source?.name ?? plugin.name } as const;
  const answer = await options.asker.ask(demand, gateSlot, source, {
    offer: { key: nameCallGrant(tool, args.json), suggest: true },
    reviewed: options.parts.writer.call.authorised?.reviewed,
  });
  if (!isRecord(answer) || answer.error === 'timeout') throw callFaults.notAllowedInTime();
  const given = answer as unknown as EditAnswer;
  const { action, approvalScope: scope = 'once', editedArgs, by } = given;
  const reason = wordsOf(given);
  if (action !== 'approve') {
    throw new ToolError(action === 'cancel' ? 'cancelled' : 'denied', reason ?? 'A person did not allow this.');
  }
  const whom = options.asker.narrow({});
  const consent: GateConsent = { scope, by, reason, asking: whom, isGrant: false, shown: described };
  if (editedArgs === undefined) return { args, consent };
  const edited = await readApproved(registered.read, given);
  options.parts.waiters.noteEdit(gateSlot, edited.json);
  const edit = { answer: given, args: edited, key: nameCallGrant(tool, edited.json) };
  const { risk } = await describeCall(registered, edited, options.limitMs);
  const isKept = scope !== 'once' && (await options.grants.keep({ ...edit, scope }, risk));
  const { subject: _, ...words } = described; // an unconfirmed edit was seen only as typed, next to these texts
  const { shown = words } = given;
  return { args: edited, consent: { ...consent, scope: isKept ? scope : 'once', shown } };
}

/** Builds the gate's prompt: the tool's own description of the call, or its arguments. */
async function makeSpec(
  { limitMs }: Pick<GateOptions, 'limitMs'>,
  registered: RegisteredTool,
  args: CallArgs,
  described: CallDescription,
): Promise<InteractionSpec> {
  const rules = await offeredRules(registered, args, limitMs);
  return {
    type: 'approval',
    subject: showArgs(args.json),
    ...described,
    approvalScopes: [...approvalScopes],
    editable: true,
    ...(rules && { rules }),
  };
}

/** Returns the grant of exactly this call if the call was authorised by one, as the gate's consent. */
async function findGrant(
  options: GateOptions,
  registered: RegisteredTool,
  { args }: Pick<ReadOpenCall, 'args'>,
): Promise<GateConsent | undefined> {
  const { parts, book, asker, limitMs } = options;
  const { session, call } = parts.writer;
  if (call.authorised?.by !== 'grant') return undefined;
  const key = nameCallGrant(registered.tool, args.json);
  const described = await describeCall(registered, args, limitMs);
  const { risk } = described;
  const grant = await book.find(session.id, session.head.turn?.agent, {
    toolName: call.toolName,
    key,
    asked: { ...askedIn(session.head, asker.narrow(risk ? { risk } : {}), call.toolCallId), ...asker.markOf(risk) },
  });
  if (!grant) return undefined;
  const isSeen = registered.tool.describe && (await isConsentTo(grant, options, registered, args, described));
  return { scope: grant.scope, by: grant.by, isGrant: true, shown: isSeen ? described : {} };
}

/**
 * Whether the grant's giver saw what the gate would show now: an edited call has a new description, and so may a changed plugin.
 */
async function isConsentTo(
  { digest }: Grant,
  options: GateOptions,
  registered: RegisteredTool,
  args: CallArgs,
  described: CallDescription,
): Promise<boolean> {
  const { toolName } = options.parts.writer.call;
  return digest === digestOf(toolName, await makeSpec(options, registered, args, described));
}

/** @throws ToolError `denied` */
async function mustAsk(
  { asker, parts, reviews, toolbox, limitMs }: GateOptions,
  registered: RegisteredTool,
  { args, isAsAuthorised }: Pick<ReadOpenCall, 'args' | 'isAsAuthorised'>,
): Promise<boolean> {
  const { session, call } = parts.writer;
  const gated = await toolbox.gates.judge(session, call.toolCallId, registered, args.json);
  // the current mode: it may have changed since
  const judged = judgeCall(registered.tool, toolbox.policies, session.row.permissionMode, gated);
  const { toolName } = call;
  const permission = asker.stepUp
    ? await withoutStandIns(judged, asker.stepUp, { toolName, findRisk: () => findRisk(registered, args, limitMs) })
    : judged;
  if (permission.kind === 'deny') throw new ToolError('denied', permission.reason);
  if (parts.journal.find(gateSlot)) return true; // asked before a restart: that answer counts
  const { by, revision, name, digest } = call.authorised ?? {};
  if (by === 'person') return true; // the log says that a person decides: a later mode does not replace that
  if (by === 'grant' && revision !== registered.tool.revision) return true; // the grant is for an earlier revision of the tool
  if (by === 'grant' && !isAsAuthorised) return true; // and the tool now reads the arguments differently
  if (permission.kind === 'allow' || by === 'grant') return false;
  if (permission.kind === 'review') {
    const { review } = permission;
    // a call that nobody reviewed, such as one from before the policy, is for a person
    if (by !== 'reviewer' || name !== review.reviewer || !isAsAuthorised || revision !== registered.tool.revision)
      return true;
    const described = await describeCall(registered, args, limitMs);
    if (reviewableRisk(review, described.risk) === undefined) return true;
    if (digestOfDescription(described) !== digest) return true; // nobody has reviewed what it says now
    reviews.passedGate(described);
    return false;
  }
  return permission.kind === 'ask' || asksFirst(registered, args, limitMs);
}

/** Asks the person again if the tool rejects the edited arguments or a plugin denies them. */
async function judgeEdit(
  { parts, toolbox }: GateOptions,
  registered: RegisteredTool,
  answer: InteractionAnswer,
): Promise<Outcome> {
  const { action, editedArgs } = answer;
  try {
    if (action === 'approve' && editedArgs !== undefined) {
      const { json } = await registered.read(editedArgs);
      const { session, call } = parts.writer;
      await toolbox.gates.requireLeave(session, call.toolCallId, registered, json);
    }
    return { complete: { ...answer } };
  } catch (error) {
    return { reprompt: { error: toToolError(error).message } };
  }
}
