import type { CallDescription, Json, Reviewed, ReviewRequest, Store, ToolCallId } from '@parleyhq/core';
import type { GrantService } from '../grant/grant-service.ts';
import { wasDenied } from '../grant/past-answers.ts';
import type { SessionWriter } from '../session/session-writer.ts';
import { deniedBefore, notReviewed, type Review, reviewableRisk } from '../tools/review.ts';
import type { RegisteredTool } from '../tools/tool-registry.ts';
import type { JudgedReview, Reviewers } from './reviewers.ts';

export interface ReviewServices {
  readonly reviewers: Reviewers;
  readonly grants: Pick<GrantService, 'isReviewerOff'>;
  readonly store: Pick<Store, 'events' | 'index'>;
}

/** A call that a person would be asked about, and what they would be shown. */
export interface ReviewedCall {
  readonly session: SessionWriter;
  readonly toolCallId: ToolCallId;
  readonly registered: RegisteredTool;
  readonly args: Json;
  readonly described: CallDescription;
  /** Aborts when nobody needs the result any more. */
  readonly signal: AbortSignal | undefined;
}

/**
 * Has a call reviewed before a person is asked about it (LESS3).
 * A reviewer does not overrule people: what they denied is for them.
 * @returns undefined if somebody has taken reviewers off the tool
 */
export async function reviewCall(
  { reviewers, grants, store }: ReviewServices,
  review: Review,
  call: ReviewedCall,
): Promise<JudgedReview | undefined> {
  const { session, registered, args, described, signal } = call;
  const isOff = () => grants.isReviewerOff(registered.tool.name, session.id);
  if (await isOff()) return undefined;
  const risk = reviewableRisk(review, described.risk);
  if (risk === undefined) return { reviewed: notReviewed(review, described.risk), isPassed: false };
  const asked = { toolName: registered.tool.name, args };
  const isDenied = () => wasDenied(store, { id: session.id, seq: session.head.seq }, asked);
  const denied = { reviewed: deniedBefore(review), isPassed: false };
  if (await isDenied()) return denied;
  const judged = await reviewers.review(review, toRequest(call, risk), signal);
  if (!judged.isPassed) return judged;
  if (await isOff()) return undefined; // it may have been taken off meanwhile
  return (await isDenied()) ? denied : judged;
}

function toRequest(
  { session, toolCallId, registered, args, described }: ReviewedCall,
  risk: ReviewRequest['risk'],
): ReviewRequest {
  const { tool, plugin } = registered;
  const { title, prompt, subject } = described;
  const agent = session.head.turn?.agent;
  return {
    sessionId: session.id,
    toolCallId,
    toolName: tool.name,
    plugin: plugin.name,
    args,
    declaredNames: [...registered.declaredNames],
    risk,
    ...(title !== undefined && { title }),
    ...(prompt !== undefined && { prompt }),
    ...(subject && { subject }),
    readOnly: tool.readOnly ?? false,
    ...(tool.source && { source: tool.source }),
    ...(agent !== undefined && { agent }),
  };
}

/** Returns what a log or a journal says of a review. */
export function toAuthorised({ name, reason }: Reviewed): { by: 'reviewer'; name: string; reason: string } {
  return { by: 'reviewer', name, reason };
}
