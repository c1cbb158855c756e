import type { Field } from '../form/field.ts';
import type { FieldErrors } from '../form/field-check.ts';
import { describeFile, type FileReference, isFileReference } from '../form/file.ts';
import { checkFiles } from '../form/file-check.ts';
import type { InteractionRequest } from './interaction-request.ts';
import { needsVotes } from './quorum.ts';

/** Files that one answer or message may have attached. */
export const maxAttachments = 10;

/** A file that an answer or a message names, before the server has looked it up. */
export type NamedFile = FileReference | { readonly fileId: string };

/** Attachments as a field, so that they have the limits and the controls of one. No field of a form has its id. */
export const attachmentField: Field = { id: '', type: 'file', label: 'Files', multiple: true, max: maxAttachments };

/** Returns why these files cannot be attached, as a sentence; undefined if they can. */
export function findAttachmentFault(files: readonly NamedFile[]): string | undefined {
  return files.length === 0 ? undefined : checkFiles(attachmentField, files as readonly object[] as never);
}

/**
 * Validates the files attached to an answer. Votes carry none, and a call that ends with its request takes words only.
 * @returns a sentence under `files` or, if a field of the form has that id, under that of `attachmentField`; undefined if they are valid
 */
export function checkAttachments(
  request: Pick<InteractionRequest, 'decide' | 'inputSchema'>,
  { files = [] }: { readonly files?: readonly NamedFile[] | undefined },
  call: { readonly isLive?: boolean | undefined } = {},
): FieldErrors | undefined {
  const isRefused = files.length > 0 && !takesAttachments(request, call);
  const fault = isRefused ? wordsOnly : findAttachmentFault(files);
  if (fault === undefined) return undefined;
  const isTaken = request.inputSchema?.fields.some(({ id }) => id === 'files');
  return { [isTaken ? attachmentField.id : 'files']: fault };
}

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
