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
    summary: 'Begins an upload for a field of an open prompt; the body may contain the first bytes, or all.',
    ...{ group, ...bytes },
    headers: z.object({
      'Upload-Length': count,
      'Content-Disposition': z.string().optional(),
    }),
    responses: {
      201: {
        description: 'The upload has begun. `file` is the value to answer with, present once it is complete.',
        schema: state,
        example: begun,
      },
    },
  },
  'GET /api/sessions/:sessionId/uploads/:fileId': {
    summary: 'The progress of one’s own upload; with `HEAD`, in headers alone.',
    group,
    responses: { 200: { description: 'The upload continues at `offset`.', schema: state, example: begun } },
  },
  'PATCH /api/sessions/:sessionId/uploads/:fileId': {
    summary: 'Continues an upload. After the last bytes the file is stored durably.',
    ...{ group, ...bytes },
    headers: z.object({ 'Upload-Offset': count }),
    responses: {
      200: { description: 'The bytes are stored.', schema: state, example: whole },
      409: { description: 'The upload continues at another offset: see `details.offset`.', schema: z.looseObject({}) },
    },
  },
  'DELETE /api/sessions/:sessionId/uploads/:fileId': {
    summary: 'Discards an incomplete upload.',
    ...{ group, responses: { 204: { description: 'Done.' } } },
  },
  'GET /api/sessions/:sessionId/interactions/:interactionId/files/:field/:index': {
    summary: 'A file of an answer, by field and index.',
    group,
    responses: { 200: { description: 'Its bytes.', type: 'application/octet-stream', schema: z.string() } },
  },
};
