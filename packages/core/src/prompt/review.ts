import * as z from 'zod/mini';
import { canonicalise } from '../basics/json.ts';
import type { ApprovalScope } from './interaction.ts';

/** Risks that a policy may let a reviewer pass. High risk is for people. */
export const reviewedRisks = ['low', 'medium'] as const;
export type ReviewedRisk = (typeof reviewedRisks)[number];

export const reviewVerdicts = ['pass', 'ask'] as const;

/** Maximum length of a reviewer's reason, in characters. */
export const maxReviewReason = 1000;

/**
 * What came of a review (LESS3). With `cause` the reason is the server's own: the call has a risk that is not reviewed, people did
 * not allow it before, or the reviewer failed.
 */
export const reviewedSchema = z.object({
  name: z.string(),
  verdict: z.enum(reviewVerdicts),
  reason: z.string(),
  cause: z.optional(z.enum(['risk', 'denied', 'fault'])),
});
export type Reviewed = z.infer<typeof reviewedSchema>;

/** Owner of the rows in the table of grants that take reviewers off tools. No plugin can have this name. */
const reviewerOffOwner = '$reviewers';

/** Returns the key under which it is stored that no reviewer passes calls of a tool. */
export function nameReviewerOff(toolName: string): { readonly plugin: string; readonly key: string } {
  return { plugin: reviewerOffOwner, key: canonicalise({ reviewerOff: toolName }) };
}

/** Begins the id of such a row, so that its end is not mistaken for that of a grant. */
export const reviewerOffPrefix = 'reviewer-off-';

/** Whether a row of the table of grants takes reviewers off a tool: it allows nothing. */
export function isReviewerOff({ plugin }: { readonly plugin: string }): boolean {
  return plugin === reviewerOffOwner;
}

/** The scopes for which reviewers may be taken off a tool. */
export const reviewerOffScope = z.enum(['session', 'always'] satisfies ApprovalScope[]);
export type ReviewerOffScope = z.infer<typeof reviewerOffScope>;
