import { isRecord } from '@parleyhq/core';
import type { FormInput } from './form-values.ts';

const prefix = 'parley.draft.';

/** Half-typed forms of this tab, under the first prompt of their chain: they survive a reload and a reprompt (INT18). */
export const draftStore = {
  read(sessionId: string, root: string): { input: FormInput; attempt: string } | undefined {
    const text = sessionStorage.getItem(`${prefix}${sessionId}.${root}`);
    if (text === null) return undefined;
    const draft: unknown = JSON.parse(text);
    if (!isRecord(draft) || !isRecord(draft.input)) return undefined;
    return { input: draft.input as FormInput, attempt: String(draft.attempt) };
  },

  /** `attempt` is the prompt that was being answered. */
  write(sessionId: string, root: string, attempt: string, input: FormInput): void {
    try {
      sessionStorage.setItem(`${prefix}${sessionId}.${root}`, JSON.stringify({ input, attempt }));
    } catch {
      // The storage is full or forbidden: the draft lives as long as the page.
    }
  },

  remove(sessionId: string, root: string): void {
    sessionStorage.removeItem(`${prefix}${sessionId}.${root}`);
  },
};
