import { type DoorCall, type DoorOutcome, defineTool, isRecord, type Json, readElicitation } from '@parleyhq/core';
import * as z from 'zod';
import { placeIn } from './decision.ts';
import type { ElicitationHook } from './hook.ts';

/** The terminal shows the question only after its hook: it waits so long for people, in ms, and not at all if nobody is there. */
const inTerminalMs = 60_000;

const silence = 'Claude Code does not read a reason.';

/** Asks people what an MCP server of Claude Code wants to know. */
export const elicitation = defineTool({
  name: 'claude_elicitation',
  description: 'Ask people what an MCP server of Claude Code wants to know.',
  parameters: z.object({
    server: z.string(),
    message: z.string(),
    hasTerminal: z.boolean(),
    params: z.record(z.string(), z.unknown()),
  }),
  readOnly: true,
  asking: true,
  endsWithRequest: true,
  async handler({ server, message, hasTerminal, params }, ctx) {
    const { shown, read } = readElicitation(params); // an error leaves the question to the terminal
    const isForm = shown.type === 'input';
    const parts = [
      message,
      isForm ? 'What you fill in goes to this server.' : '',
      hasTerminal ? inTerminal : '',
      silence,
    ];
    const answer = await ctx.requestInteraction({
      ...shown,
      key: 'elicitation',
      title: `The MCP server “${server}” asks`,
      prompt: parts.filter((part) => part !== '').join('\n\n'),
      timeoutMs: hasTerminal ? inTerminalMs : null,
      onUnavailable: hasTerminal ? 'error' : 'wait',
    });
    return { ...read(answer) };
  },
});

const inTerminal = 'If nobody answers within a minute, Claude Code asks in its terminal.';

/** @param entrypoint - how Claude Code was started, if its hook says so; without a terminal nobody else can answer */
export function toElicitationCall(hook: ElicitationHook, entrypoint: string | null): DoorCall {
  const { mcp_server_name: server, message, mode, url, requested_schema } = hook;
  const params = { mode, ...(url !== undefined && { url }), requestedSchema: requested_schema ?? {} };
  const args = { server, message, hasTerminal: !entrypoint?.startsWith('sdk-'), params };
  return { ...placeIn(hook), toolName: elicitation.name, args: args as Json };
}

/** A person's answer in the format of Claude Code; undefined if nobody answered, and its own prompt decides. */
export function readElicited(outcome: DoorOutcome | undefined): object | undefined {
  const { result, delivered, answers } = outcome ?? { answers: [] };
  const isAnswered = answers.length > 0 && delivered !== false && isRecord(result) && result.action !== 'cancel';
  return isAnswered ? { hookEventName: 'Elicitation', ...result } : undefined;
}
