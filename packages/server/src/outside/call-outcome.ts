import type { ChatEvent, CodedError, Json } from '@parleyhq/core';
import { markRedacted } from '../log/secrets.ts';

/** What became of a call. `delivered` is false where a secret was left out of it. */
export interface CallOutcome {
  readonly result?: Json;
  readonly error?: CodedError;
  readonly delivered?: false;
}

/** @returns the one of both that there is */
export function outcomeOf({
  result = null,
  error,
}: {
  readonly result?: Json | undefined;
  readonly error?: CodedError | undefined;
}): CallOutcome {
  return error ? { error } : { result };
}

/** What is stored of a result, for whoever gets no secret of it. */
export function storedOutcomeOf({
  result,
  error,
  isRedacted,
}: Pick<ChatEvent<'tool_result'>['payload'], 'result' | 'error' | 'isRedacted'>): CallOutcome {
  if (!isRedacted) return outcomeOf({ result, error });
  return { ...outcomeOf({ result: markRedacted(result ?? null), error }), delivered: false };
}
