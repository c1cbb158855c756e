import type { SessionId } from '../basics/id.ts';
import type { ChatEvent } from './event.ts';
import type { Head } from './head.ts';
import type { OpenPrompt } from './prompt-life.ts';

/** How a commit changed a session's head. For a session that was just loaded, `before` is `emptyHead` and there are no events. */
export interface HeadChange {
  readonly sessionId: SessionId;
  readonly before: Head;
  readonly after: Head;
  readonly prompts: PromptChanges;
  readonly events: readonly ChatEvent[];
}

export interface PromptChanges {
  /** Newly open. */
  readonly opened: readonly OpenPrompt[];
  /** Open before and after, with another state or deadline: the new versions. */
  readonly moved: readonly OpenPrompt[];
  /** Settled since: the old versions. */
  readonly settled: readonly OpenPrompt[];
}

const unchanged: PromptChanges = { opened: [], moved: [], settled: [] };

/** Compares the prompts of two heads. A prompt that was opened and settled in one commit is not reported. */
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

/** Finds the range in which two lists differ, because most commits change one prompt of many. */
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
