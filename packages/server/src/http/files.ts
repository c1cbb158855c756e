import {
  attachmentField,
  type FileReference,
  fileReferenceSchema,
  findPrompt,
  type InteractionRequest,
  includesRole,
  listFiles,
  type Principal,
  RefusalError,
} from '@parleyhq/core';
import type { SessionWriter } from '@parleyhq/runtime';
import type { Context, Hono } from 'hono';
import * as z from 'zod';
import type { FileService, UploadDemand, UploadSource, UploadState } from '../extensions/files/file-service.ts';
import { findMessageFiles } from '../extensions/files/message-files.ts';
import { badRequest, type Entry, enter } from './frame-request.ts';
import { enterByKey, hasKey, type OneTimeAccess, requirePrompt } from './one-time-access.ts';
import { describe, json, nothing, text } from './operation.ts';
import type { Env } from './request.ts';
import { sendFile } from './send-file.ts';

export interface FileRoutes extends Entry, OneTimeAccess {
  readonly files: FileService;
}

/** State of an upload; with `file` once it is complete. */
const stateSchema = z.object({
  ...{ fileId: z.string(), offset: z.int(), size: z.int() },
  file: z.object(fileReferenceSchema.shape).optional(),
});

const promptPath = '/api/sessions/:sessionId/interactions/:interactionId';

/** Serves resumable uploads, modelled on the IETF draft, and the files of answers and messages (PLG13, REV6). */
export function serveFiles(app: Hono<Env>, routes: FileRoutes): void {
  const { files } = routes;
  const group = 'Files';
  const bytes = { body: z.string(), bodyType: 'application/octet-stream' };
  const count = z.string().regex(/^\d+$/);
  const begun = { fileId: 'f-1', offset: 0, size: 4096 };
  const uploadBegun = 'The upload has begun. `file` is the value to answer with, present once it is complete.';
  const uploading = {
    ...{ group, ...bytes },
    headers: z.object({ 'Upload-Length': count, 'Content-Disposition': z.string().optional() }),
    responses: { 201: json(uploadBegun, stateSchema, begun) },
  };
  const aboutUpload = describe({
    ...uploading,
    summary: 'Begins an upload for a field of an open prompt; the body may contain the first bytes, or all.',
  });
  const beginUpload = async (
    context: Context<Env>,
    up: string,
    { session, principal, answer: wanted }: Visit & Pick<UploadDemand, 'answer'>,
  ) => {
    const size = readCount(context, 'upload-length');
    const demand = { answer: wanted, name: readName(context), mediaType: readType(context), size };
    const begun = await files.begin(session, principal, demand);
    const source = sourceOf(context);
    context.header('Location', `${up}uploads/${begun.fileId}`);
    const state = hasBody(context) ? await files.append(session, principal, begun.fileId, { from: 0, source }) : begun;
    return answer(context, state, 201);
  };
  const visitPrompt = async (context: Context<Env>, field: string) => {
    const visit = await visitToUpload(context, routes);
    const interactionId = context.req.param('interactionId') ?? '';
    if (visit.only && visit.only.interactionId !== interactionId) throw new RefusalError('not_found');
    return { ...visit, answer: { interactionId, field } };
  };
  app.post(`${promptPath}/files/:field`, aboutUpload, async (context) =>
    beginUpload(context, '../../../', await visitPrompt(context, context.req.param('field'))),
  );

  const summary =
    'Begins an upload of a file to attach to the answer of an open prompt; otherwise like that for a field.';
  const aboutAttachment = describe({ ...uploading, summary });
  app.post(`${promptPath}/files`, aboutAttachment, async (context) =>
    beginUpload(context, '../../', await visitPrompt(context, attachmentField.id)),
  );

  const aboutMessage = describe({
    ...uploading,
    summary: 'Begins an upload of a file for a message; otherwise like that for a field.',
  });
  app.post('/api/sessions/:sessionId/files', aboutMessage, async (context) => {
    const visited = await visit(context, routes);
    if (!includesRole(visited.principal.role, 'responder')) throw new RefusalError('forbidden');
    return beginUpload(context, '', { ...visited, answer: undefined });
  });

  const aboutProgress = describe({
    ...{ group, summary: 'The progress of one’s own upload; with `HEAD`, in headers alone.' },
    responses: { 200: json('The upload continues at `offset`.', stateSchema, begun) },
  });
  app.get('/api/sessions/:sessionId/uploads/:fileId', aboutProgress, async (context) => {
    const { session, principal, fileId } = await visitUpload(context, routes);
    return answer(context, await files.look(session, principal, fileId));
  });

  const whole = { fileId: 'f-1', name: 'cv.pdf', mediaType: 'application/pdf', size: 4096, sha256: '0'.repeat(64) };
  const aboutContinuation = describe({
    summary: 'Continues an upload. After the last bytes the file is stored durably.',
    ...{ group, ...bytes, headers: z.object({ 'Upload-Offset': count }) },
    responses: {
      200: json('The bytes are stored.', stateSchema, { ...begun, offset: 4096, file: whole }),
      409: json('The upload continues at another offset: see `details.offset`.', z.looseObject({})),
    },
  });
  app.patch('/api/sessions/:sessionId/uploads/:fileId', aboutContinuation, async (context) => {
    const { session, principal, fileId } = await visitUpload(context, routes);
    const from = readCount(context, 'upload-offset');
    const source = sourceOf(context);
    return answer(context, await files.append(session, principal, fileId, { from, source }));
  });

  const aboutDiscard = describe({
    group,
    summary: 'Discards an incomplete upload, or the file of a message that was not sent.',
    responses: nothing,
  });
  app.delete('/api/sessions/:sessionId/uploads/:fileId', aboutDiscard, async (context) => {
    const { session, principal, fileId } = await visitUpload(context, routes);
    await files.discard(session, principal, fileId);
    return context.body(null, 204);
  });

  const aboutFile = describe({
    ...{ group, summary: 'A file of an answer, by field and index.' },
    responses: { 200: text('Its bytes.', 'application/octet-stream') },
  });
  app.get(`${promptPath}/files/:field/:index`, aboutFile, async (context) => {
    const { session, principal } = await visit(context, routes);
    const { interactionId, field, index } = context.req.param();
    const { request, response } = await findAnswer(session, principal, interactionId);
    const { input = {} } = response.payload;
    const isAsked = request.inputSchema?.fields.some(({ id, type }) => id === field && type === 'file');
    const given = isAsked && Object.hasOwn(input, field) ? listFiles(input[field]) : [];
    return sendFile(context, fileAt(given, index), (file) => files.read(session.id, file));
  });

  const aboutAttached = describe({
    ...{ group, summary: 'A file attached to an answer, by index.' },
    responses: { 200: text('Its bytes.', 'application/octet-stream') },
  });
  app.get(`${promptPath}/files/:index`, aboutAttached, async (context) => {
    const { session, principal } = await visit(context, routes);
    const { interactionId, index } = context.req.param();
    const { response } = await findAnswer(session, principal, interactionId);
    return sendFile(context, fileAt(response.payload.files ?? [], index), (file) => files.read(session.id, file));
  });

  const aboutSent = describe({
    ...{ group, summary: 'A file of a message, by index.' },
    responses: { 200: text('Its bytes.', 'application/octet-stream') },
  });
  app.get('/api/sessions/:sessionId/messages/:messageId/files/:index', aboutSent, async (context) => {
    const { session } = await visit(context, routes);
    const { messageId, index } = context.req.param();
    const given = await findMessageFiles(session, messageId);
    return sendFile(context, fileAt(given ?? [], index), (file) => files.read(session.id, file));
  });
}

/** Paths of files of answers and messages; nothing in such a response may run, whatever opens it (PLG13). */
export const filePath =
  /^\/api\/(sessions\/[^/]+\/(interactions\/[^/]+\/files(\/[^/]+)?|messages\/[^/]+\/files)|calls\/[^/]+\/files)\/[^/]+$/;

interface Visit {
  readonly session: SessionWriter;
  readonly principal: Principal;
}

async function visit(context: Context<Env>, routes: FileRoutes): Promise<Visit> {
  const { principal } = await enter(context, routes, { as: 'person' });
  const { session } = await routes.hub.openFor(principal, context.req.param('sessionId') ?? '');
  return { session, principal };
}

/**
 * Admits an upload. Whoever has the key of a one-time link may upload for its prompt only, while that is open, and may not fetch
 * files (NTF3).
 */
async function visitToUpload(
  context: Context<Env>,
  routes: FileRoutes,
): Promise<Visit & { readonly only?: InteractionRequest }> {
  if (!hasKey(context)) return visit(context, routes);
  const holder = await enterByKey(context, routes);
  const { request: only } = requirePrompt(holder);
  const { card, client, runtime } = holder;
  if (card.sessionId !== context.req.param('sessionId')) throw new RefusalError('not_found');
  routes.onAdmitted(context.env.incoming.socket);
  return { session: runtime.session, principal: client.principal, only };
}

/** Admits a request about an upload that has begun. */
async function visitUpload(context: Context<Env>, routes: FileRoutes): Promise<Visit & { readonly fileId: string }> {
  const { session, principal, only } = await visitToUpload(context, routes);
  const fileId = context.req.param('fileId') ?? '';
  if (only) await routes.files.requireFor(session, only, fileId);
  return { session, principal, fileId };
}

/** Finds an answer and its prompt. Only people who can see the answer get its files; a hash or id alone is not enough. */
async function findAnswer(session: SessionWriter, principal: Principal, interactionId: string) {
  const past = findPrompt(session.head, interactionId) ? undefined : await session.reader.findPast(interactionId);
  const isHidden = session.visibility.hides(principal, past?.request.toolCallId);
  if (!past || isHidden || past.settlement.type !== 'interaction_response') throw new RefusalError('not_found');
  return { request: past.request, response: past.settlement };
}

function fileAt(files: readonly FileReference[], index: string): FileReference | undefined {
  return /^\d{1,3}$/.test(index) ? files[Number(index)] : undefined;
}

function answer(context: Context<Env>, state: UploadState, status: 200 | 201 = 200) {
  context.header('Upload-Offset', String(state.offset));
  context.header('Upload-Length', String(state.size));
  context.header('Upload-Complete', state.file ? '?1' : '?0');
  context.header('Cache-Control', 'no-store');
  return context.json(state, status);
}

function sourceOf({ env: { incoming } }: Context<Env>): UploadSource {
  return {
    bytes: incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>,
    stop: () => void incoming.destroy(),
  };
}

function hasBody(context: Context<Env>): boolean {
  const length = context.req.header('content-length');
  return length === undefined ? context.req.header('transfer-encoding') !== undefined : length !== '0';
}

/** @throws RefusalError `bad_frame` */
function readCount(context: Context<Env>, header: string): number {
  const text = context.req.header(header) ?? '';
  if (!/^\d{1,15}$/.test(text)) throw badRequest(`its ${header} is not a number of bytes`);
  return Number(text);
}

const maxTypeLength = 200;

function readType(context: Context<Env>): string {
  return (context.req.header('content-type') ?? '').slice(0, maxTypeLength);
}

/** In characters; far above the length to which names are cut. */
const maxNameHeader = 4000;

/** Reads the `filename*` of the Content-Disposition, or its plain `filename`. */
function readName(context: Context<Env>): string {
  const said = (context.req.header('content-disposition') ?? '').slice(0, maxNameHeader);
  const [, encoded] = /filename\*=utf-8''([^;\s]*)/i.exec(said) ?? [];
  const [, quoted, plain] = /filename="((?:[^"\\]|\\.)*)"|filename=([^;\s]+)/i.exec(said) ?? [];
  try {
    return encoded === undefined ? (quoted?.replace(/\\(.)/g, '$1') ?? plain ?? '') : decodeURIComponent(encoded);
  } catch {
    throw badRequest('the name of its Content-Disposition is not encoded as UTF-8');
  }
}
