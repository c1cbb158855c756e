import type { Awaitable } from '../basics/awaitable.ts';
import type { SessionId, ToolCallId } from '../basics/id.ts';
import { isRecord, type Json } from '../basics/json.ts';
import { hasVisible } from '../basics/visible-text.ts';
import type { Subject } from '../prompt/interaction.ts';
import { maxReviewReason, type ReviewedRisk, reviewVerdicts } from '../prompt/review.ts';
import type { Parameters } from '../schema/standard-schema.ts';
import type { PluginLog, Tool } from './tool.ts';

/** A call that a person would be asked about, as a reviewer receives it: data that others wrote. */
export interface ReviewRequest {
  readonly sessionId: SessionId;
  readonly toolCallId: ToolCallId;
  readonly toolName: string;
  /** Plugin that provides the tool. */
  readonly plugin: string;
  /** As they will run: the tool's schema has read them. */
  readonly args: Json;
  /** Names of members that the tool's schema declares, at any depth; other names in `args` are from whoever wrote the call. */
  readonly declaredNames?: readonly string[];
  /** As stated by the tool, and within what the policy lets a reviewer pass. */
  readonly risk: ReviewedRisk;
  /** What a person would be shown. */
  readonly title?: string;
  readonly prompt?: string;
  readonly subject?: Subject;
  readonly readOnly: boolean;
  /** The outside program that the tool belongs to, such as an MCP server. */
  readonly source?: Tool['source'];
  /** Calling agent; absent if an outside program calls. */
  readonly agent?: string;
}

/** Services for one review. */
export interface ReviewerHost {
  /** The reviewer's configuration as `configSchema` returned it; an empty object if there is none. */
  readonly config: unknown;
  readonly log: PluginLog;
  /** Aborts at the time limit, when the call is over, and when the server stops. */
  readonly signal: AbortSignal;
}

/** A reviewer's result: `pass` lets the call run, `ask` asks a person, who is shown the reason. */
export interface ReviewResult {
  readonly verdict: (typeof reviewVerdicts)[number];
  /** One or a few sentences for people. */
  readonly reason: string;
}

/**
 * Sees calls before people are asked about them, if a policy names it, and may let those of low risk pass (LESS3). It cannot
 * deny, and what it passes is passed once.
 */
export interface Reviewer {
  readonly name: string;
  /** Schema of its configuration in the setting `reviewers`. */
  readonly configSchema?: Parameters;
  /** Any other result, a throw or no result within the time limit asks a person. */
  review(request: ReviewRequest, host: ReviewerHost): Awaitable<ReviewResult>;
}

/** Returns a copy of a reviewer's result; undefined for anything but exactly a verdict and a reason that people can read. */
export function readReviewResult(value: unknown): ReviewResult | undefined {
  if (!isRecord(value) || Object.keys(value).length !== 2) return undefined;
  const { verdict, reason } = value;
  const known = reviewVerdicts.find((each) => each === verdict);
  if (known === undefined || typeof reason !== 'string') return undefined;
  return hasVisible(reason) && reason.length <= maxReviewReason ? { verdict: known, reason } : undefined;
}
