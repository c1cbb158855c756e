import * as z from 'zod/mini';
import { riskSchema, sourceSchema } from './interaction.ts';
import type { InteractionRequest } from './interaction-request.ts';

/** What a card shows besides what is in the digest of its prompt (SIGN2, SIGN3). */
export const termsSchema = z.strictObject({
  /** Who asks. */
  source: sourceSchema,
  risk: z.optional(riskSchema),
  /** Validity of a lasting consent in milliseconds; indefinite if absent. */
  grantTtlMs: z.optional(z.number()),
  /** Validity of a consent for the session, if different. */
  sessionTtlMs: z.optional(z.number()),
});

export type Terms = z.infer<typeof termsSchema>;

/** Returns the terms on which a prompt asks. */
export function termsOf({ source, risk, grantTtlMs, sessionTtlMs }: InteractionRequest): Terms {
  return {
    source,
    ...(risk && { risk }),
    ...(grantTtlMs !== undefined && { grantTtlMs }),
    ...(sessionTtlMs !== undefined && { sessionTtlMs }),
  };
}
