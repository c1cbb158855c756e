import type { InteractionAnswer, InteractionResponse } from '@parleyhq/core';

/** Returns the answer of another process from the log, without its secrets. */
export function answerOf(response: InteractionResponse, at: string): InteractionAnswer {
  const { toolCallId: _, answerId: __, late: ___, grantId: ____, votes: _____, struck: ______, ...answer } = response;
  return { ...answer, at } as InteractionAnswer;
}
