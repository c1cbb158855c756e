import * as z from 'zod/mini';
import { type FileReference, fileReferenceSchema } from '../form/file.ts';

/** Files attached to an answer or a message: words may need a picture or a log (REV6). */
export const attachmentsSchema: z.ZodMiniType<readonly FileReference[]> = z.readonly(z.array(fileReferenceSchema));
