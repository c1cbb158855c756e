import * as z from 'zod/mini';

/** What somebody said under a prompt of an outside call, as the call's program gets it (REV4). */
export const callCommentSchema = z.object({
  interactionId: z.string(),
  commentId: z.string(),
  text: z.string(),
  by: z.object({ principal: z.string(), name: z.optional(z.string()) }),
  at: z.iso.datetime(),
  replyTo: z.optional(z.string()),
  /** Whether the program itself said it. */
  isAskers: z.optional(z.literal(true)),
});

export type CallComment = z.infer<typeof callCommentSchema>;
