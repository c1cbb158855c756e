import { type Actor, type ChatEvent, callKey, RefusalError, resultKey, type ToolCallId } from '@parleyhq/core';
import type { SessionWriter } from '@parleyhq/runtime';

export interface Withdrawal {
  readonly withdrawn: boolean;
  /** The actor that had decided the call before. */
  readonly by?: Actor;
  readonly at?: string;
}

/** Finds out who settled a call. @throws RefusalError `not_found` if there is no such call */
export async function findDecision({ reader }: SessionWriter, toolCallId: ToolCallId): Promise<Withdrawal> {
  if ((await reader.findEvent(callKey(toolCallId))) === undefined) throw new RefusalError('not_found');
  const text = await reader.findEvent(resultKey(toolCallId));
  const result: ChatEvent<'tool_result'> | undefined = text === undefined ? undefined : JSON.parse(text);
  if (result?.payload.error?.code === 'withdrawn') return { withdrawn: true }; // a repeat
  const answer = (await reader.findAnswers(toolCallId)).at(-1);
  if (answer) return { withdrawn: false, by: answer.payload.by, at: answer.timestamp };
  return { withdrawn: false, ...(result && { at: result.timestamp }) };
}
