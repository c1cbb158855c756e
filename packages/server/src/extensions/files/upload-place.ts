import {
  type AskedFile,
  attachmentField,
  checkFile,
  type Field,
  findCall,
  findPrompt,
  type Head,
  type InteractionRequest,
  mayAnswer,
  outsideAgent,
  type Principal,
  RefusalError,
  takesAttachments,
  type Upload,
  wordsOnly,
} from '@parleyhq/core';
import type { SessionWriter } from '@parleyhq/runtime';

/** Makes the refusal of a file, with the reason at its field. */
export function misfit({ id }: Field, words: string): RefusalError {
  return new RefusalError('invalid', { message: words, details: { fieldErrors: { [id || 'files']: words } } });
}

/** @throws RefusalError `invalid` if the field does not take the file */
export function requireFit(field: Field, file: Parameters<typeof checkFile>[1]): void {
  const fault = checkFile(field, file);
  if (fault !== undefined) throw misfit(field, field.invalidMessage ?? fault);
}

/** Returns the prompt if this person may answer it. @throws RefusalError */
async function requireOpen(session: SessionWriter, principal: Principal, id: string): Promise<InteractionRequest> {
  session.requireLife();
  const open = findPrompt(session.head, id)?.request;
  const request = open ?? (await session.reader.findPast(id))?.request;
  if (!request || session.visibility.hides(principal, request.toolCallId)) throw new RefusalError('not_found');
  if (!mayAnswer(principal, request)) throw new RefusalError('forbidden');
  if (!open) throw new RefusalError('closed');
  return request;
}

/** A field and what an upload for it notes; for a message, nothing. */
export interface Place {
  readonly field: Field;
  readonly asked?: AskedFile;
}

/** @throws RefusalError if no message can be sent here */
export function findPlaceOfMessage(session: SessionWriter): Place {
  session.requireLife();
  if (session.row.agent === outsideAgent) throw new RefusalError('not_supported');
  return { field: attachmentField };
}

/** Returns what a prompt asks for, if this person may answer it. @throws RefusalError */
export async function findPlaceOfAnswer(
  session: SessionWriter,
  principal: Principal,
  wanted: { readonly interactionId: string; readonly field: string },
): Promise<Place> {
  const request = await requireOpen(session, principal, wanted.interactionId);
  const { toolCallId, slot } = request;
  const field = findField(request, wanted.field);
  const call = findCall(session.head, toolCallId);
  if (field === attachmentField && !takesAttachments(request, call)) throw misfit(field, wordsOnly);
  if (!field) throw new RefusalError('not_found', { message: 'This prompt asks for no such file.' });
  return { field, asked: { toolCallId, slot, field: field.id } };
}

/** Returns the field that an upload is for, while its prompt is open; messages can always be sent. */
export function findOpenField({ prompts }: Head, { toolCallId, slot, field }: Upload): Field | undefined {
  if (toolCallId === undefined || field === undefined) return attachmentField;
  const prompt = prompts.find(({ request }) => request.toolCallId === toolCallId && request.slot === slot);
  return prompt && findField(prompt.request, field);
}

function findField({ inputSchema }: Pick<InteractionRequest, 'inputSchema'>, wanted: string): Field | undefined {
  if (wanted === attachmentField.id) return attachmentField;
  return inputSchema?.fields.find(({ id, type }) => id === wanted && type === 'file');
}
