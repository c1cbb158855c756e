import { answerOfResponse, type InteractionAnswer, type InteractionResponse } from '@parleyhq/core';

/** Returns an answer from the log, without its secrets: one of another process, or a denial, which has none. */
export function answerOf(response: InteractionResponse, at: string): InteractionAnswer {
  const { interactionId, by } = response;
  return { ...answerOfResponse(response), interactionId, by, at };
}
