import type { SessionId } from '../basics/id.ts';
import type { ChatEvent } from './event.ts';
import type { Head } from './head.ts';
import type { OpenPrompt } from './prompt-life.ts';

/** What a commit made of a session's head. A session that is loaded changed from `emptyHead`, by no events. */
export interface HeadChange {
  readonly sessionId: SessionId;
  readonly before: Head;
  readonly after: Head;
  readonly prompts: PromptChanges;
  readonly events: readonly ChatEvent[];
}

export interface PromptChanges {
  /** Open now, and not before. */
  readonly opened: readonly OpenPrompt[];
  /** Open before and now, in another state or with another deadline: as they are now. */
  readonly moved: readonly OpenPrompt[];
  /** Settled: as they were before. */
  readonly settled: readonly OpenPrompt[];
}

const unchanged: PromptChanges = { opened: [], moved: [], settled: [] };

/** How the prompts of two heads differ. A prompt that was opened and settled in one commit is in neither. */
export function comparePrompts(before: Head, after: Head): PromptChanges {
  if (before.prompts === after.prompts) return unchanged;
  const { from, beforeTo, afterTo } = findDifference(before.prompts, after.prompts);
  const old = new Map(before.prompts.slice(from, beforeTo).map((prompt) => [prompt.request.interactionId, prompt]));
  const opened: OpenPrompt[] = [];
  const moved: OpenPrompt[] = [];
  for (const prompt of after.prompts.slice(from, afterTo)) {
    const { interactionId } = prompt.request;
    const known = old.get(interactionId);
    old.delete(interactionId);
    if (!known) opened.push(prompt);
    else if (known !== prompt) moved.push(prompt);
  }
  return { opened, moved, settled: [...old.values()] };
}

/** Where two lists differ: most commits change one prompt of many. */
function findDifference(before: readonly OpenPrompt[], after: readonly OpenPrompt[]) {
  let from = 0;
  let [beforeTo, afterTo] = [before.length, after.length];
  while (from < beforeTo && from < afterTo && before[from] === after[from]) from += 1;
  while (beforeTo > from && afterTo > from && before[beforeTo - 1] === after[afterTo - 1]) {
    beforeTo -= 1;
    afterTo -= 1;
  }
  return { from, beforeTo, afterTo };
}
