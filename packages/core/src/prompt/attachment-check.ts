import type { FieldErrors } from '../form/field-check.ts';
import { checkFiles } from '../form/file-check.ts';
import { attachmentField, type NamedFile, takesAttachments, wordsOnly } from './attachment.ts';
import type { InteractionRequest } from './interaction-request.ts';

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
