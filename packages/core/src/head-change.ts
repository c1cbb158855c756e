import type { ChatEvent } from './event.ts';
import type { Head } from './head.ts';
import type { SessionId } from './id.ts';
import type { OpenPrompt } from './prompt-life.ts';

/** What a commit made of a session's head. A session that is loaded changed from `emptyHead`, by no events. */
export interface HeadChange {
  readonly sessionId: SessionId;
  readonly before: Head;
  readonly after: Head;
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
export function comparePrompts({ before, after }: Pick<HeadChange, 'before' | 'after'>): PromptChanges {
  if (before.prompts === after.prompts) return unchanged;
  const old = new Map(before.prompts.map((prompt) => [prompt.request.interactionId, prompt]));
  const opened: OpenPrompt[] = [];
  const moved: OpenPrompt[] = [];
  for (const prompt of after.prompts) {
    const { interactionId } = prompt.request;
    const known = old.get(interactionId);
    old.delete(interactionId);
    if (!known) opened.push(prompt);
    else if (known !== prompt) moved.push(prompt);
  }
  return { opened, moved, settled: [...old.values()] };
}
