import { type ClientFrameOf, RefusalError } from '@parleyhq/core';
import type { SessionContext } from './session-frames.ts';

/**
 * Takes reviewers off a tool: from its next call on people are asked, in this session or in all (LESS3).
 * @throws RefusalError `not_found` if no policy has this tool reviewed
 */
export async function removeReviewer(
  { runtime: { session }, client, services: { grants, findReview } }: SessionContext,
  { toolName, scope }: ClientFrameOf<'remove_reviewer'>,
): Promise<void> {
  if (!findReview(toolName)) throw new RefusalError('not_found', { message: 'No policy has this tool reviewed.' });
  const sessionId = scope === 'session' ? session.id : undefined;
  await grants.removeReviewer({ toolName, sessionId }, client.actor, client.credential);
}
