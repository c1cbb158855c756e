import type { Field } from '../form/field.ts';
import { describeFile, type FileReference, isFileReference } from '../form/file.ts';
import type { InteractionRequest } from './interaction-request.ts';
import { needsVotes } from './quorum.ts';

/** Files that one answer or message may have attached. */
export const maxAttachments = 10;

/** A file that an answer or a message names, before the server has looked it up. */
export type NamedFile = FileReference | { readonly fileId: string };

/** Attachments as a field, so that they have the limits and the controls of one. No field of a form has its id. */
export const attachmentField: Field = { id: '', type: 'file', label: 'Files', multiple: true, max: maxAttachments };

/** Whether files may be attached to the answers of a prompt (REV6). */
export function takesAttachments(
  request: Pick<InteractionRequest, 'decide'>,
  { isLive = false }: { readonly isLive?: boolean | undefined } = {},
): boolean {
  return !isLive && !needsVotes(request);
}

/** Says that an answer takes no files. */
export const wordsOnly = 'Files cannot be attached to this answer: say it in words.';

/** Returns the attached files without those that the server did not find. */
export function listAttachments(files: readonly NamedFile[] = []): readonly FileReference[] {
  return files.filter(isFileReference);
}

/** Returns a message in words: its text, and the names of what is attached to it. */
export function wordsOfMessage({
  text,
  files,
}: {
  readonly text: string;
  readonly files?: readonly FileReference[] | undefined;
}): string {
  return [text, describeAttachments(files) ?? ''].filter((part) => part !== '').join('\n\n');
}

/** Names attached files for people and models that cannot see them; undefined if there are none. */
export function describeAttachments(files: readonly FileReference[] = []): string | undefined {
  return files.length === 0 ? undefined : `Attached: ${files.map(describeFile).join(', ')}`;
}
