import type { ClientState } from '@parleyhq/client';
import { type InboxEntry, mayAnswer } from '@parleyhq/core';

/** The open prompts that this person may answer. Only these count as "needs you" (WEB8). */
export function findOwnPrompts({ welcome, inbox }: Pick<ClientState, 'welcome' | 'inbox'>): readonly InboxEntry[] {
  return inbox.filter(({ interaction }) => welcome && mayAnswer(welcome.principal, interaction));
}
