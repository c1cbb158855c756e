import * as z from 'zod/mini';

interface SharedMembers {
  readonly requestId: z.ZodMiniOptional<z.ZodMiniString>;
  readonly sessionId: z.ZodMiniString;
  readonly id: z.ZodMiniString;
}

/** The frame by which a person looks at the rules that are suggested to them (LESS2). */
export function makeListSuggestions({ requestId, sessionId, id }: SharedMembers) {
  return z.object({ type: z.literal('list_suggestions'), requestId, sessionId, interactionId: z.optional(id) });
}

/** The frame by which they decide about one. */
export function makeDecideSuggestion({ requestId, sessionId, id }: SharedMembers) {
  return z.object({
    type: z.literal('decide_suggestion'),
    requestId,
    sessionId,
    suggestionId: id,
    interactionId: z.optional(id),
    action: z.enum(['allow', 'decline']),
    approvalScope: z.optional(z.enum(['session', 'always'])),
  });
}
