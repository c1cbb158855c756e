import type { ChatEvent, CodedError, FileReference, Json } from '@parleyhq/core';
import { markRedacted } from '@parleyhq/runtime';

/** Outcome of a call. `delivered` is false if a secret was left out of it. */
export interface CallOutcome {
  readonly result?: Json;
  readonly error?: CodedError;
  readonly delivered?: false;
  /** Files that were attached to the answers, if the result is not an object that has them as a member (REV6). */
  readonly files?: readonly CallFile[];
}

/** A file that somebody attached to an answer, as the program that asked gets it. */
export interface CallFile extends Pick<FileReference, 'fileId' | 'name' | 'mediaType'> {
  /** Size. */
  readonly bytes: number;
  /** Address at which the program's token may fetch it for an hour. */
  readonly url: string;
}

/** Returns the error, if there is one, or the result. */
export function outcomeOf({
  result = null,
  error,
}: {
  readonly result?: Json | undefined;
  readonly error?: CodedError | undefined;
}): CallOutcome {
  return error ? { error } : { result };
}

/** Returns the stored outcome, for readers who may not receive the secrets in it. */
export function storedOutcomeOf({
  result,
  error,
  isRedacted,
}: Pick<ChatEvent<'tool_result'>['payload'], 'result' | 'error' | 'isRedacted'>): CallOutcome {
  if (!isRedacted) return outcomeOf({ result, error });
  return { ...outcomeOf({ result: markRedacted(result ?? null), error }), delivered: false };
}
