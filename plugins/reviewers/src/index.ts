import { definePlugin, type Reviewer } from '@parleyhq/core';
import { command } from './command.ts';
import { model } from './model.ts';

/** Logs why a review fails: of a plugin's errors the server logs no messages, and these contain nothing of the call. */
function logFailures(reviewer: Reviewer): Reviewer {
  return {
    ...reviewer,
    async review(request, host) {
      try {
        return await reviewer.review(request, host);
      } catch (error) {
        if (!host.signal.aborted && error instanceof Error) host.log.warn(error.message);
        throw error;
      }
    },
  };
}

/** Shipped reviewers of calls (LESS3). */
export default definePlugin({ name: 'reviewers', tools: [], reviewers: [command, model].map(logFailures) });
