import {
  argsOf,
  type CallArgs,
  gateSlot,
  type InteractionDemand,
  type InteractionId,
  isRecord,
  type Json,
  maxShownLength,
  type OpenCall,
  readAgain,
  recoverySlot,
  showArgs,
  ToolError,
} from '@parleyhq/core';
import type { RegisteredTool } from '../tools/tool-registry.ts';
import type { Asker } from './asker.ts';
import { findRisk } from './authorise.ts';
import { type Demanded, joinDemands } from './demands.ts';
import type { Journal } from './journal.ts';
import type { ReadOpenCall } from './read-call.ts';

/** Whether an interrupted call may run again, and the prompt in which a person decided that. */
export interface RunAgain {
  readonly mayRun: boolean;
  readonly asked?: InteractionId;
}

export interface RerunOptions {
  readonly asker: Asker;
  readonly call: OpenCall;
  readonly journal: Pick<Journal, 'demands'>;
  /** Time allowed to the tool's `describe`, in ms. */
  readonly limitMs: number;
  /** Reads the call's arguments. @throws ToolError `invalid_args` */
  readArgs(): Promise<ReadOpenCall>;
}

/** Whether an interrupted call may run again: its tool or a person decides. Nothing runs twice silently (DUR4). */
export async function mayRunAgain(options: RerunOptions, registered: RegisteredTool): Promise<RunAgain> {
  const { onInterrupted, readOnly } = registered.tool;
  const rule = onInterrupted ?? (readOnly ? 'retry' : 'ask');
  if (rule !== 'ask') return { mayRun: rule === 'retry' };
  const { asker, call, limitMs } = options;
  const { toolName } = call;
  const { json, args } = await foreseeArgs(options, registered);
  const subject = showArgs(json);
  if (subject.text.length > maxShownLength) return { mayRun: false }; // nobody could read what they would consent to (SEC5)
  const asked = whomToAsk(options, args && (await findRisk(registered, args, limitMs)));
  if (!asked) return { mayRun: false };
  const demand: InteractionDemand = {
    type: 'approval',
    title: `The server stopped while ${toolName} was running`,
    prompt: `The server stopped while ${toolName} was running: run again / treat as failed`,
    subject,
    approvalScopes: ['once'],
    timeoutMs: null,
    onUnavailable: 'wait',
    ...asked,
  };
  const answer = await asker.ask(demand, recoverySlot, { kind: 'recovery', name: toolName });
  if (!isRecord(answer)) return { mayRun: false };
  return { mayRun: answer.action === 'approve', asked: String(answer.interactionId) };
}

/** Returns the arguments of another run. If the tool can no longer read them, the call will end before it does anything. */
async function foreseeArgs(
  { call, readArgs }: RerunOptions,
  { read }: RegisteredTool,
): Promise<{ readonly json: Json; readonly args?: CallArgs }> {
  const known = await readArgs().catch(() => undefined);
  if (!known) return { json: argsOf(call) };
  const edited = known.journal.approvedEdit(gateSlot);
  if (edited === undefined) return { json: known.args.json, args: known.args };
  const args = await readAgain(read, { written: edited, json: edited }).catch(() => undefined);
  return { json: edited, ...(args && { args }) };
}

/**
 * Returns whom to ask: people who could have given each of the call's consents and who see it if it is hidden, at the worst risk
 * of the call and all its prompts (TEAM1, TEAM2, SIGN2). Undefined if there are none.
 * @param risk - the call's own, as its tool describes it
 */
function whomToAsk({ asker, journal, call }: RerunOptions, risk: Demanded['risk']): Demanded | undefined {
  const { visibility, audience } = call;
  try {
    return asker.narrow(joinDemands([{ risk, ...(visibility && { audience }) }, ...journal.demands]));
  } catch (error) {
    if (error instanceof ToolError) return undefined;
    throw error;
  }
}
