import type { Principal } from '@parleyhq/core';

/** What an inbox without a prompt knows about the person and the rest of the server. */
export interface EmptyInbox {
  readonly principal: Principal;
  /** Prompts of this person that are put off or filtered out. */
  readonly hidden: number;
  /** Sessions that wait for somebody else. */
  readonly forOthers: number;
  /** Whether prompts may be answered in this tab (INT15). */
  readonly isInteractive: boolean;
}

/** Says why nothing is listed, and what to do about it. */
export function explainEmpty({ principal, hidden, forOthers, isInteractive }: EmptyInbox): {
  readonly words: string;
  readonly note: string;
} {
  if (principal.role === 'viewer')
    return {
      words: 'You are a viewer: you watch, and others answer.',
      note: 'To be asked, log in with a token of the role responder. An operator creates it.',
    };
  if (hidden > 0)
    return { words: 'Nothing else needs you now.', note: 'The rest was put off, or the filter leaves it out.' };
  const words = 'Nothing needs you.';
  if (forOthers > 0) return { words, note: 'The sessions below wait for others. Each question says who it is for.' };
  if (!isInteractive)
    return { words, note: 'Interactive mode is disabled in this tab: enable it in the menu to answer here.' };
  return { words, note: 'When an agent stops to ask, the question appears here, from every session.' };
}
