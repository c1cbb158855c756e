import { isRecord, type Json } from '@parleyhq/core';
import { tabStorage } from './storage.ts';

/** Values of the controls by field id: numbers as typed; date-times as received, or in local time once changed. */
export type FormInput = Readonly<Record<string, Json>>;

interface Draft {
  readonly input: FormInput;
  /** The prompt that was being answered, by its id. */
  readonly attempt: string;
}

const prefix = 'parley.draft.';

/** Drafts of this page. They outlive the stored ones if storage is full or forbidden, and after a prompt was settled. */
const typed = new Map<string, Draft>();

/**
 * Returns the key for the draft of a prompt and of every prompt that replaces it. Each principal has drafts of its own (INT18).
 * @param root - id of the first of these prompts
 */
export function draftKey(principal: string, sessionId: string, root: string): string {
  return `${prefix}${sessionId}.${encodeURIComponent(principal)}.${root}`;
}

/** Returns the key for the draft of a comment on the prompts that have this key (REV4). */
export const commentDraftKey = (key: string): string => `${key}.comment`;

/** Returns the key for the files to be attached to the answer of the prompts that have this key (REV6). */
export const filesDraftKey = (key: string): string => `${key}.files`;

/** Half-filled forms of this tab. They survive a reload and a reprompt, but not their prompt's settlement (INT18). */
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

  /**
   * Stores the draft of a settled prompt again, because the prompt was asked again (INT8) and the page may be reloaded (INT18).
   */
  resume(key: string): Draft | undefined {
    const draft = this.read(key);
    if (draft) this.write(key, draft);
    return draft;
  },

  /** Returns the names of the files whose uploads for a field had not ended when its form was last shown. */
  readUploads(key: string, field: string): readonly string[] {
    const names = readUploads(key)[field];
    return Array.isArray(names) ? names.map(String) : [];
  },

  /** Stores the names of the files being uploaded for a field: after a reload people have to choose them again (PLG13a). */
  writeUploads(key: string, field: string, names: readonly string[]): void {
    const { [field]: _, ...others } = readUploads(key);
    const uploads = names.length > 0 ? { ...others, [field]: names } : others;
    try {
      if (Object.keys(uploads).length > 0) tabStorage.setItem(nameUploads(key), JSON.stringify(uploads));
      else tabStorage.removeItem(nameUploads(key));
    } catch {
      // The storage is full or forbidden: the names are lost in a reload.
    }
  },

  /**
   * Removes the stored drafts of a settled prompt. The page keeps them in memory: it may be asked again (INT8), and they can be
   * copied (INT5).
   */
  settle(key: string): void {
    for (const name of [key, commentDraftKey(key), filesDraftKey(key)]) {
      const draft = this.read(name);
      if (draft) typed.set(name, draft);
      tabStorage.removeItem(name);
    }
    tabStorage.removeItem(nameUploads(key));
  },

  /** Removes all drafts, because another principal has logged in. */
  removeAll(): void {
    typed.clear();
    for (const key of Object.keys(tabStorage)) if (key.startsWith(prefix)) tabStorage.removeItem(key);
  },

  /** Removes the drafts of a session that was deleted. */
  removeSession(sessionId: string): void {
    for (const key of Object.keys(tabStorage)) {
      if (key.startsWith(`${prefix}${sessionId}.`)) tabStorage.removeItem(key);
    }
  },
};

const nameUploads = (key: string) => `${key}/uploads`;

/** Returns the names by field. */
function readUploads(key: string): Readonly<Record<string, unknown>> {
  const uploads: unknown = JSON.parse(tabStorage.getItem(nameUploads(key)) ?? 'null');
  return isRecord(uploads) ? uploads : {};
}
