import { ToolError } from '../basics/error.ts';
import { isRecord } from '../basics/json.ts';
import { limits } from '../basics/limits.ts';
import { describeUnknown } from '../basics/unknown-members.ts';
import { hasVisible } from '../basics/visible-text.ts';
import { countBytes } from '../log/open-size.ts';
import type { InteractionSpec } from '../prompt/interaction.ts';
import { isDuration } from './author-check.ts';
import type { CommentOutcome, Outcome, PendingOutcome } from './demand.ts';

/** Validates a hook's outcome. @throws ToolError `invalid_outcome`, naming the problem */
export function checkOutcome(outcome: unknown): Outcome {
  if (!isRecord(outcome)) throw invalidOutcome(outcome === undefined ? 'This one returned nothing.' : '');
  const [unknown] = describeUnknown(outcome, verdicts);
  if (unknown !== undefined) throw invalidOutcome(`In what this one returned ${unknown}`);
  if (Object.keys(outcome).length === 1) {
    if ('complete' in outcome) return { complete: outcome.complete };
    if (isRecord(outcome.reprompt)) return { reprompt: outcome.reprompt as Partial<InteractionSpec> };
    if (isRecord(outcome.pending)) return { pending: checkPending(outcome.pending) };
  }
  throw invalidOutcome('');
}

/** Validates what `onComment` returned. @throws ToolError `invalid_outcome` */
export function checkCommentOutcome(outcome: unknown): CommentOutcome {
  if (outcome === undefined || outcome === null) return undefined;
  const reply = isRecord(outcome) ? outcome.reply : undefined;
  const isFit = typeof reply === 'string' && hasVisible(reply) && countBytes(reply) <= limits.commentBytes;
  if (isFit) return { reply };
  const words = `onComment must return {reply: a text of at most ${limits.commentBytes / 1024} KiB}, or nothing.`;
  throw new ToolError('invalid_outcome', words);
}

const verdicts = ['complete', 'reprompt', 'pending'];

function checkPending(pending: Record<string, unknown>): PendingOutcome {
  const [unknown] = describeUnknown(pending, ['message', 'queued', 'ttlMs'], ['pending']);
  if (unknown !== undefined) throw invalidOutcome(`In what this one returned ${unknown}`);
  const { message, queued, ttlMs } = pending;
  if (typeof message !== 'string') throw invalidOutcome('pending.message must be a text.');
  if (queued !== undefined && typeof queued !== 'boolean')
    throw invalidOutcome('pending.queued must be true or false.');
  if (ttlMs !== undefined && !isDuration(ttlMs))
    throw invalidOutcome('pending.ttlMs must be a number above 0, in milliseconds, of at most a hundred years.');
  return { message, ...(queued !== undefined && { queued }), ...(ttlMs !== undefined && { ttlMs }) };
}

function invalidOutcome(more: string): ToolError {
  const words = `A hook must return one of {complete}, {reprompt} and {pending: {message}}. ${more}`;
  return new ToolError('invalid_outcome', words.trimEnd());
}
