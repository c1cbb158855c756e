import * as z from 'zod/mini';
import { type Annotation, annotationSides } from './annotated-lines.ts';

/** The form of annotations; `findAnnotationFault` compares them with the subject. */
export const annotationsSchema: z.ZodMiniType<readonly Annotation[]> = z.readonly(
  z.array(
    z.object({
      lines: z.readonly(z.tuple([z.int(), z.int()])),
      side: z.optional(z.enum(annotationSides)),
      quote: z.string(),
      comment: z.optional(z.string()),
      replacement: z.optional(z.string()),
    }),
  ),
);
