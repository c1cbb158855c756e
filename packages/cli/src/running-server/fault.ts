import { RefusalError, type WireErrorCode } from '@parleyhq/core';
import { ExitError } from '../io/exit-error.ts';
import { SettingsError } from '../settings/settings.ts';
import { NoServerError } from './running-server.ts';

/** What to do about a refusal, by its code. */
type Hints = Readonly<Partial<Record<WireErrorCode, string>>>;

/**
 * The exit codes of the commands that speak to a server (ASK8): everything that no other stands for is 5, as 1 is a person's no.
 * @param hints - what to do about a refusal
 */
export function explainFault(error: unknown, hints: Hints = {}): never {
  if (error instanceof ExitError || error instanceof SettingsError) throw error;
  const { message } = error as Error;
  if (error instanceof NoServerError) throw new ExitError(4, message, { cause: error });
  const hint = error instanceof RefusalError ? hints[error.code] : undefined;
  throw new ExitError(5, hint === undefined ? message : `${message} ${hint}`, { cause: error });
}

/** For the commands whose every failure is 1. @throws Error that says what to do about a refusal as well, or what was given */
export function addHint(error: unknown, hints: Hints): never {
  const hint = error instanceof RefusalError ? hints[error.code] : undefined;
  throw hint === undefined ? error : new Error(`${(error as Error).message} ${hint}`, { cause: error });
}
