import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Agent, AgentPart, ChatEvent, TurnInput } from '@parleyhq/core';
import { type DemoCommand, parseCommands } from './demo-command.ts';
import { findExamples, writeTour } from './demo-tour.ts';

type ToolCallEvent = ChatEvent<'tool_call'>;

/** A scripted agent without a model. It derives all its output from the log (AGT1). */
export const demoAgent: Agent = {
  name: 'demo',
  description: 'A scripted demo: no model, no key, no cost.',
  examples: findExamples,
  async *run(turn, signal) {
    const events = await readTurn(turn);
    const calls = events.filter((event): event is ToolCallEvent => event.type === 'tool_call').filter(isOwn);
    const message = events.find((event) => event.type === 'user_message')?.payload;
    if (calls.length > 0) yield say(reportCalls(calls, events));
    else if (message?.origin === 'interaction') yield say(`Noted: ${message.text}`);
    else yield* answer(message?.text ?? '', turn, signal);
  },
};

/** Returns the turn's own events. Its message comes just before its `turn_start`. */
async function readTurn(turn: TurnInput): Promise<readonly ChatEvent[]> {
  const events = await turn.read(Math.max(0, turn.startSeq - 2));
  return events.filter((event) => event.turnId === turn.turnId);
}

/** Whether the agent itself made the call and not one of its sub-agents. */
function isOwn(call: ToolCallEvent): boolean {
  return call.payload.parentToolCallId === undefined;
}

/** Reports the results. What people wrote with their answers is left out: not everybody may read it (TEAM1). */
function reportCalls(calls: readonly ToolCallEvent[], events: readonly ChatEvent[]): string {
  return calls
    .map(({ payload: { toolCallId, toolName } }) => `${toolName} returned: ${describeResult(toolCallId, events)}`)
    .join('\n');
}

function describeResult(toolCallId: string, events: readonly ChatEvent[]): string {
  for (const { type, payload } of events) {
    if (type !== 'tool_result' || payload.toolCallId !== toolCallId) continue;
    const { result = null, error } = payload;
    return JSON.stringify(error ? { error: { code: error.code, message: error.message } } : result);
  }
  return 'null';
}

async function* answer(text: string, turn: TurnInput, signal: AbortSignal): AsyncGenerator<AgentPart> {
  const commands = parseCommands(text);
  if (commands.length === 0) yield say(writeTour(turn.tools));
  for (const command of commands) {
    yield* perform(command, signal);
    yield { type: 'block_end' };
  }
}

async function* perform(command: DemoCommand, signal: AbortSignal): AsyncGenerator<AgentPart> {
  switch (command.type) {
    case 'call':
      return yield { type: 'tool_call', toolName: command.toolName, args: command.args };
    case 'stream':
      return yield* stream(command.count, command.delayMs, signal);
    case 'fault':
      return yield say(command.message);
    default:
      return command satisfies never;
  }
}

async function* stream(count: number, delayMs: number, signal: AbortSignal): AsyncGenerator<AgentPart> {
  for (let n = 1; n <= count; n += 1) {
    // Even without a delay, yield to other work and notice a stop.
    if (delayMs === 0) await setImmediate(undefined, { signal });
    else if (n > 1) await setTimeout(delayMs, undefined, { signal });
    yield say(n < count ? `${n} ` : `${n}`);
  }
}

function say(text: string): AgentPart {
  return { type: 'text', text };
}
