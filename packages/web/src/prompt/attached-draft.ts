import { attachmentField, type FileReference, type Json, listFiles } from '@parleyhq/core';
import { draftStore, filesDraftKey } from '../browser/draft-store.ts';

/** Returns the files that are uploaded, but not sent with an answer yet. */
export function readAttached(draftKey: string): readonly FileReference[] {
  return listFiles(draftStore.read(filesDraftKey(draftKey))?.input[attachmentField.id]);
}

/** Stores the files of a draft, so that they survive a reload. @param attempt - id of the prompt that is being answered, if any */
export function keepAttached(draftKey: string, files: Json | undefined, attempt = ''): void {
  const input = files === undefined ? {} : { [attachmentField.id]: files };
  draftStore.write(filesDraftKey(draftKey), { input, attempt });
}

/** Whether an upload was broken off by a reload: its file has to be chosen again. */
export function isBrokenOff(draftKey: string): boolean {
  return draftStore.readUploads(draftKey, attachmentField.id).length > 0;
}

/** Adds files to a draft, after those that it has. */
export function giveAttached(draftKey: string, files: readonly FileReference[]): void {
  if (files.length > 0) keepAttached(draftKey, [...readAttached(draftKey), ...files]);
}
