import * as z from 'zod/mini';

/** The longest duration of a prompt or a grant, in ms: 100 years. `null` means no limit. */
export const maxTimeoutMs = 100 * 365 * 24 * 3_600_000;

const askedRole = z.enum(['responder', 'operator']);

/**
 * Restricts who may answer a prompt: at least one of these roles, one of these principals (ids, or names that only one token
 * has), and nobody who is excluded, whatever their role (TEAM1, TEAM2).
 */
export const audienceSchema = z.object({
  role: z.optional(askedRole),
  roles: z.optional(z.array(askedRole).check(z.minLength(1))),
  principals: z.optional(z.array(z.string().check(z.minLength(1))).check(z.minLength(1))),
  exclude: z.optional(z.array(z.enum(['requester']))),
});
export type Audience = z.infer<typeof audienceSchema>;

/**
 * The audience of a prompt, plus the audiences that its escalations added. The exclusions of the first apply to all of them
 * (TEAM5).
 */
export const askedAudienceSchema = z.extend(audienceSchema, { also: z.optional(z.array(audienceSchema)) });
export type AskedAudience = z.infer<typeof askedAudienceSchema>;

const escalationSteps = 10;

/** Additional audience of a prompt that nobody has answered `afterMs` milliseconds after it was opened (TEAM5). */
export const escalationSchema = z.object({
  afterMs: z.number().check(z.positive(), z.lte(maxTimeoutMs)),
  audience: audienceSchema,
  /** Whether people in this audience are notified while they are away, or by which ways only: `push`, or names of notifiers. */
  notify: z.optional(z.union([z.boolean(), z.array(z.string())])),
});
export type Escalation = z.infer<typeof escalationSchema>;

export const escalateSchema = z.array(escalationSchema).check(
  z.minLength(1),
  z.maxLength(escalationSteps),
  z.refine((steps) => steps.every(({ afterMs }, n) => n === 0 || afterMs > (steps[n - 1] as Escalation).afterMs), {
    error: 'each step must come after the one before',
  }),
);

/** Adds an audience. An absent audience already includes everybody. */
export function widenAudience(audience: AskedAudience | undefined, more: Audience): AskedAudience | undefined {
  return audience && { ...audience, also: [...(audience.also ?? []), more] };
}
