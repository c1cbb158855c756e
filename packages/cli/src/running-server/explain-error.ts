import { ExitError, RefusalError, type WireErrorCode } from '@parleyhq/core';
import { topicOf } from '../io/topic.ts';
import { SettingsError } from '../settings/settings.ts';
import { NoServerError } from './running-server.ts';

/** What to do about a refusal, by its code. */
type Hints = Readonly<Partial<Record<WireErrorCode, string>>>;

/**
 * Gives an error the exit code of commands that use a server (ASK8): 5 unless another one applies, because 1 means that a person
 * said no.
 * @param hints - advice for refusals
 */
export function explainFault(error: unknown, hints: Hints = {}): never {
  if (error instanceof ExitError || error instanceof SettingsError) throw error;
  const { message } = error as Error;
  if (error instanceof NoServerError) throw new ExitError(4, message, { cause: error });
  const hint = hintFor(error, hints);
  throw new ExitError(5, hint === undefined ? message : `${message} ${hint}`, { cause: error });
}

/** Rethrows the error, with advice if it is a refusal; for commands whose exit code is 1 for every failure. */
export function addHint(error: unknown, hints: Hints): never {
  const hint = hintFor(error, hints);
  throw hint === undefined ? error : new Error(`${(error as Error).message} ${hint}`, { cause: error });
}

/** A refused address is `forbidden`, too, and says what to do. */
function hintFor(error: unknown, hints: Hints): string | undefined {
  return error instanceof RefusalError && topicOf(error) !== 'address-refused' ? hints[error.code] : undefined;
}
