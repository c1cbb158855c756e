import type { ClientState } from '@parleyhq/client';
import { type InboxEntry, mayAnswer } from '@parleyhq/core';
import { keyOf, type Snoozed, snoozed } from './snooze.ts';

/** A session with prompts that this person may answer, oldest first. */
export interface WaitingSession {
  readonly sessionId: string;
  /** Title of the session when the first of them was asked. */
  readonly title: string | undefined;
  readonly prompts: readonly InboxEntry[];
}

/** Returns the open prompts that this person may answer, grouped by session. */
export function findOwnPrompts({ welcome, inbox }: Pick<ClientState, 'welcome' | 'inbox'>): readonly InboxEntry[] {
  const own = inbox.filter(({ interaction }) => welcome && mayAnswer(welcome.principal, interaction));
  return groupBySession(own).flatMap(({ prompts }) => prompts);
}

/** Whether a prompt that a person may answer waits for that person: it is neither voted on nor postponed on this device. */
export function isNeeding(entry: InboxEntry, postponed: Pick<Snoozed, 'untilOf'> = snoozed): boolean {
  return entry.ownVote === undefined && postponed.untilOf(keyOf(entry), Date.now()) === undefined;
}

/** Calls `listener` when a prompt is postponed or returns. @returns a function that ends this */
export const watchPostponed = (listener: () => void): (() => void) => snoozed.watch(listener);

/** Returns the prompts that wait for this person. Only these count as "needs you", wherever the page counts (WEB8). */
export function findNeeds(state: Pick<ClientState, 'welcome' | 'inbox'>): readonly InboxEntry[] {
  return findOwnPrompts(state).filter((entry) => isNeeding(entry));
}

/** Groups prompts by session, in the order of each session's oldest prompt. */
export function groupBySession(inbox: readonly InboxEntry[]): readonly WaitingSession[] {
  const groups = new Map<string, InboxEntry[]>();
  for (const entry of inbox) {
    const group = groups.get(entry.sessionId);
    if (group) group.push(entry);
    else groups.set(entry.sessionId, [entry]);
  }
  return [...groups].map(([sessionId, prompts]) => ({ sessionId, title: prompts[0]?.sessionTitle, prompts }));
}

/** The session on the page, its prompts from top to bottom, and the focused one. */
interface Place {
  readonly sessionId: string;
  readonly shown: readonly string[];
  readonly focused: string | undefined;
}

/**
 * Returns the prompt after the focused one, in the order in which all sessions list them; after the last comes the first. Without
 * a focused prompt it is the first one of the session on the page, whose prompts follow each other as they are shown there.
 */
export function findNextPrompt(
  inbox: readonly InboxEntry[],
  { sessionId, shown, focused }: Place,
): InboxEntry | undefined {
  const placeOf = ({ interaction }: InboxEntry) => shown.indexOf(interaction.interactionId);
  const here = inbox.filter((entry) => entry.sessionId === sessionId).sort((a, b) => placeOf(a) - placeOf(b));
  const inOrder = [...here].reverse();
  const all = inbox.map((entry) => (entry.sessionId === sessionId ? (inOrder.pop() ?? entry) : entry));
  const at = all.findIndex(({ interaction }) => interaction.interactionId === focused);
  return at < 0 ? (here[0] ?? all[0]) : all[(at + 1) % all.length];
}
