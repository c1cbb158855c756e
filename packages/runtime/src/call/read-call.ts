import { argsOf, type CallArgs, isSameJson, type OpenCall, readAgain } from '@parleyhq/core';
import type { RegisteredTool } from '../tools/tool-registry.ts';
import type { CallWriter } from './call-writer.ts';
import type { Journal } from './journal.ts';

/** The arguments of a call, and the part of its journal that still counts for them. */
export interface ReadOpenCall {
  readonly args: CallArgs;
  readonly journal: Journal;
  /** Whether the call's event has these arguments; otherwise its authorisation does not apply to them. */
  readonly isAsAuthorised: boolean;
}

const argsKey = 'args';

/**
 * Reads the arguments of a stored call as they were shown. If the tool was changed and reads something else now, that is asked
 * about again and earlier consents do not count (APR2).
 * @throws ToolError `invalid_args`
 */
export async function readOpenCall(
  { read }: Pick<RegisteredTool, 'read'>,
  call: OpenCall,
  { journal, writer }: { readonly journal: Journal; readonly writer: Pick<CallWriter, 'record'> },
): Promise<ReadOpenCall> {
  const recorded = journal.recorded(argsKey);
  const known = recorded === undefined ? argsOf(call) : recorded;
  const args = await readAgain(read, { written: call.args, json: known });
  const isAsAuthorised = isSameJson(args.json, argsOf(call));
  if (isSameJson(args.json, known)) return { args, journal, isAsAuthorised };
  await writer.record(argsKey, args.json);
  return { args, journal: journal.withoutConsents(), isAsAuthorised };
}
