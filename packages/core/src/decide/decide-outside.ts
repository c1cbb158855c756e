import type { NewEvent } from '../log/event.ts';
import { findCall, type Head } from '../log/head.ts';
import { outsideAgent } from '../log/outside.ts';
import { personOf } from '../prompt/role.ts';
import { accept, type Command, type Decision, type Facts, refuse } from './command.ts';
import { close } from './decide-prompt.ts';
import { endWithLast, resultOf } from './decide-turn.ts';

type CommandOf<Type extends Command['type']> = Extract<Command, { type: Type }>;

/** Starts a turn with the first open call; further calls run in it in parallel, and the last result ends it (ASK1). */
export function decideCall({ turn }: Head, { call }: CommandOf<'call'>, { plan }: Facts): Decision {
  if (plan.agent !== outsideAgent) return refuse('not_supported');
  const { turnId } = turn ?? plan;
  const called: NewEvent = { type: 'tool_call', payload: call, turnId };
  if (turn) return accept(called);
  const { agent, owner } = plan;
  const requesters = [personOf(call.by)];
  return accept({ type: 'turn_start', payload: { trigger: 'outside', agent, owner, requesters }, turnId }, called);
}

/** Withdraws a call for its caller or an operator, as long as it is undecided; its prompts close with it (ASK4). */
export function decideWithdraw(head: Head, { toolCallId, note, principal }: CommandOf<'withdraw'>): Decision {
  const call = findCall(head, toolCallId);
  if (!call) return refuse('closed');
  if (!call.by) return refuse('not_supported');
  if (call.by.principal !== principal.id && principal.role !== 'operator') return refuse('forbidden');
  const own = head.prompts.filter(({ request }) => request.toolCallId === toolCallId);
  if (own.length === 0 && call.isAnswered) return refuse('closed'); // it was decided, and its result is about to be stored
  const more = note === undefined ? {} : { note };
  const closed = own.map(({ request }) => close(head, request.interactionId, 'withdrawn', more));
  const error = { code: 'withdrawn', message: note ?? 'The caller withdrew the call.' };
  return accept(...closed, resultOf(call, { error }), ...endWithLast(head));
}
