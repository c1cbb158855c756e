import { isRecord, type Json, limits, ToolError } from '@parleyhq/core';
import type { ReachedLimit } from '../tools/limit-error.ts';

/** What a turn may spend before it ends by itself (AGT8). */
export interface TurnLimits {
  /** Maximum number of messages that the agent may write in a turn: each is a request to its model. */
  readonly maxRounds: number;
  /** Maximum number of tokens of a turn: input, output and cache together, as its agent reports them. */
  readonly tokenBudget?: number | undefined;
}

export const defaultTurnLimits: TurnLimits = { maxRounds: 200 };

/** Checks the limits before the agent writes its next message. @throws ToolError `max_rounds` or `token_budget` */
export function requireRoom({ maxRounds, tokenBudget }: TurnLimits, rounds: number, usage: Json | undefined): void {
  if (rounds >= maxRounds) throw new ToolError('max_rounds', `The turn ended after ${maxRounds} messages, its limit.`);
  if (tokenBudget === undefined) return;
  const used = countTokens(usage);
  if (used < tokenBudget) return;
  throw new ToolError('token_budget', `The turn used ${used} tokens and ended: its budget is ${tokenBudget}.`);
}

/** Checks the limit before a message gets another call. @throws ToolError `too_many_calls` */
export function requireFewCalls(calls: number, reached: ReachedLimit): void {
  const { messageCalls: most } = limits;
  if (calls < most) return;
  reached('messageCalls');
  throw new ToolError('too_many_calls', `The turn ended: its agent wrote more than ${most} calls at once.`);
}

/** Adds up all token counts in an agent's usage report. */
function countTokens(usage: Json | undefined): number {
  if (!isRecord(usage)) return 0;
  const counts = Object.entries(usage).filter(([name]) => name.endsWith('Tokens'));
  return counts.reduce((sum, [, count]) => sum + (typeof count === 'number' ? count : 0), 0);
}
