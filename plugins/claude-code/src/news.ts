import type { CallerContext } from '@parleyhq/core';
import { placeIn } from './decision.ts';
import type { Notification, SubagentStop } from './hook.ts';

/** Kinds of notifications after which nobody is waited for. */
const idle: ReadonlySet<string> = new Set(['auth_success', 'elicitation_complete', 'elicitation_response']);

/** Kinds of notifications about a prompt in the terminal, which the card of the same question makes superfluous. */
const prompts: ReadonlySet<string> = new Set(['permission_prompt', 'elicitation_dialog']);

/** How much is shown of what a sub-agent said at its end, in characters. */
const maxWords = 1000;

/** Returns what people should know of this notification; undefined if it is nothing that the session waits for. */
export function describeNotification(
  { message, notification_type: type }: Notification,
  { isAsking }: { readonly isAsking: boolean },
): string | undefined {
  const text = message.trim();
  const isTold = text !== '' && !idle.has(type) && !(isAsking && prompts.has(type));
  return isTold ? `In the terminal: ${text}` : undefined;
}

/** Returns that a sub-agent has ended, and its last words. */
export function describeEnd({ agent_type: type, last_assistant_message: said }: SubagentStop): string {
  const who = type === '' ? 'A sub-agent' : `The sub-agent “${type}”`;
  const words = said.trim();
  if (words === '') return `${who} has ended.`;
  return `${who} has ended:\n\n${words.length > maxWords ? `${words.slice(0, maxWords)} …` : words}`;
}

/** Shows a message in the session that stands for one of Claude Code. */
export async function show({ call }: CallerContext, hook: Parameters<typeof placeIn>[0], text: string): Promise<void> {
  await call({ ...placeIn(hook), toolName: 'tell_human', args: { text } });
}
