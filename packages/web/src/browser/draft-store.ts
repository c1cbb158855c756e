import { isRecord, type Json } from '@parleyhq/core';
import { tabStorage } from './storage.ts';

/** What the controls hold, by field id: numbers as typed, date-times as they came, or in local time once they were changed. */
export type FormInput = Readonly<Record<string, Json>>;

interface Draft {
  readonly input: FormInput;
  /** The prompt that was being answered. */
  readonly attempt: string;
}

const prefix = 'parley.draft.';

/** What was typed into this page, also where the storage is full or forbidden, or has let go of a settled prompt. */
const typed = new Map<string, Draft>();

/** Names the draft of a prompt and of every prompt that replaces it: `root` is the first of them. Each principal has its own (INT18). */
export function draftKey(principal: string, sessionId: string, root: string): string {
  return `${prefix}${sessionId}.${encodeURIComponent(principal)}.${root}`;
}

/** Half-typed forms of this tab. They survive a reload and a reprompt, but not their prompt's settlement (INT18). */
export const draftStore = {
  read(key: string): Draft | undefined {
    const draft: unknown = typed.get(key) ?? JSON.parse(tabStorage.getItem(key) ?? 'null');
    if (!isRecord(draft) || !isRecord(draft.input)) return undefined;
    return { input: draft.input as FormInput, attempt: String(draft.attempt) };
  },

  write(key: string, draft: Draft): void {
    typed.set(key, draft);
    try {
      tabStorage.setItem(key, JSON.stringify(draft));
    } catch {
      // The storage is full or forbidden: the draft lives as long as the page.
    }
  },

  /** What was typed for a prompt, kept again: it is asked once more behind its receipt (INT8), and may be reloaded (INT18). */
  resume(key: string): Draft | undefined {
    const draft = this.read(key);
    if (draft) this.write(key, draft);
    return draft;
  },

  /** The names of the files that were on their way for a field when its form was here last. */
  readUploads(key: string, field: string): readonly string[] {
    const names = readUploads(key)[field];
    return Array.isArray(names) ? names.map(String) : [];
  },

  /** Names the files that are on their way for a field: after a reload only their person can choose them again (PLG13a). */
  writeUploads(key: string, field: string, names: readonly string[]): void {
    const { [field]: _, ...others } = readUploads(key);
    const uploads = names.length > 0 ? { ...others, [field]: names } : others;
    try {
      if (Object.keys(uploads).length > 0) tabStorage.setItem(nameUploads(key), JSON.stringify(uploads));
      else tabStorage.removeItem(nameUploads(key));
    } catch {
      // The storage is full or forbidden: a reload forgets them.
    }
  },

  /** The prompt was settled, by whomever. The page itself remembers the draft: its tool may still ask again (INT8), and it can be copied (INT5). */
  settle(key: string): void {
    const draft = this.read(key);
    if (draft) typed.set(key, draft);
    tabStorage.removeItem(key);
    tabStorage.removeItem(nameUploads(key));
  },

  /** Somebody else is logged in: nothing that was typed is theirs. */
  removeAll(): void {
    typed.clear();
    for (const key of Object.keys(tabStorage)) if (key.startsWith(prefix)) tabStorage.removeItem(key);
  },

  /** The session is gone, and with it whatever was asked in it. */
  removeSession(sessionId: string): void {
    for (const key of Object.keys(tabStorage)) {
      if (key.startsWith(`${prefix}${sessionId}.`)) tabStorage.removeItem(key);
    }
  },
};

const nameUploads = (key: string) => `${key}/uploads`;

/** By field. */
function readUploads(key: string): Readonly<Record<string, unknown>> {
  const uploads: unknown = JSON.parse(tabStorage.getItem(nameUploads(key)) ?? 'null');
  return isRecord(uploads) ? uploads : {};
}
