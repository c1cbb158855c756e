import type { InteractionAnswer, InteractionResponse } from '@parleyhq/core';

/** Returns an answer from the log, without its secrets: one of another process, or a denial, which has none. */
export function answerOf(response: InteractionResponse, at: string): InteractionAnswer {
  const { toolCallId: _, answerId: __, late: ___, grantId: ____, votes: _____, struck: ______, ...answer } = response;
  return { ...answer, at } as InteractionAnswer;
}
