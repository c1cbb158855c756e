import { coversCall, suggestCallRules } from '@parleyhq/claude-tools';
import { type AskedCall, isRecord, type OfferedRule, type Rule } from '@parleyhq/core';

type Members = Readonly<Record<string, unknown>>;

/**
 * Suggests the prefix of simple commands that an agent has asked to run (LESS2). The arguments of other kinds of calls differ from
 * agent to agent, so that no words could say exactly what a rule for them covers.
 */
export function suggestAgentCalls(calls: readonly AskedCall[]): readonly OfferedRule[] {
  const commands = calls.map(({ toolName, args }) => (toolName === 'execute' ? readCommand(args) : undefined));
  const known = commands.filter((command) => command !== undefined);
  if (known.length !== calls.length) return [];
  return suggestCallRules('Bash', known, { withFiles: false }).map((rule) => ({
    ...rule,
    label: rule.label.replace('single Bash commands', 'single commands'),
  }));
}

/** Whether a suggested rule covers a call of the agent, as the log has it. */
export function coversAgentCall(rule: Rule, args: Members): boolean {
  const command = readCommand(args);
  return command !== undefined && coversCall(rule, 'Bash', command);
}

/** Returns the command and its description; undefined if the call has anything else, such as a folder to run it in, or files. */
function readCommand({ input, locations }: Members): Record<string, unknown> | undefined {
  if (locations !== undefined || !isRecord(input) || typeof input.command !== 'string') return undefined;
  const { command, description, ...rest } = input;
  return Object.keys(rest).length === 0 ? { command, ...(description !== undefined && { description }) } : undefined;
}
