import { fileReferenceSchema } from '@parleyhq/core';
import * as z from 'zod';
import type { Operation } from './openapi.ts';

const group = 'Files';

const file = z.object(fileReferenceSchema.shape);
const state = z.object({ fileId: z.string(), offset: z.int(), size: z.int(), file: file.optional() });
const bytes = { body: z.string(), bodyType: 'application/octet-stream' };
const count = z.string().regex(/^\d+$/);
const begun = { fileId: 'f-1', offset: 0, size: 4096 };
const whole = {
  ...begun,
  offset: 4096,
  file: { fileId: 'f-1', name: 'cv.pdf', mediaType: 'application/pdf', size: 4096, sha256: '0'.repeat(64) },
};

/** Files of answers, as OpenAPI describes them (PLG13). */
export const fileOperations: Record<string, Operation> = {
  'POST /api/sessions/:sessionId/interactions/:interactionId/files/:field': {
    summary: 'Begins an upload for a field of an open prompt; its body may bring the first bytes, or all.',
    ...{ group, ...bytes },
    headers: z.object({
      'Upload-Length': count,
      'Content-Disposition': z.string().optional(),
    }),
    responses: {
      201: {
        description: 'It has begun. `file` is what to answer with, once all is here.',
        schema: state,
        example: begun,
      },
    },
  },
  'GET /api/sessions/:sessionId/uploads/:fileId': {
    summary: 'How far one’s own upload has come. `HEAD` says it in headers alone.',
    group,
    responses: { 200: { description: 'From `offset` it goes on.', schema: state, example: begun } },
  },
  'PATCH /api/sessions/:sessionId/uploads/:fileId': {
    summary: 'Goes on with an upload. The last bytes make it a file, durably.',
    ...{ group, ...bytes },
    headers: z.object({ 'Upload-Offset': count }),
    responses: {
      200: { description: 'They are here.', schema: state, example: whole },
      409: { description: 'It goes on elsewhere: `details.offset` says where.', schema: z.looseObject({}) },
    },
  },
  'DELETE /api/sessions/:sessionId/uploads/:fileId': {
    summary: 'Gives an upload up that is not whole.',
    ...{ group, responses: { 204: { description: 'Done.' } } },
  },
  'GET /api/sessions/:sessionId/interactions/:interactionId/files/:field/:index': {
    summary: 'A file of an answer, by its place there.',
    group,
    responses: { 200: { description: 'Its bytes.', type: 'application/octet-stream', schema: z.string() } },
  },
};
