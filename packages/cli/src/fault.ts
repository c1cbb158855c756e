import { RefusalError, type WireErrorCode } from '@parleyhq/core';
import { ExitError } from './exit-error.ts';
import { NoServerError } from './own-server.ts';
import { SettingsError } from './settings.ts';

/**
 * The exit codes of the commands that speak to a server (ASK8): everything that no other stands for is 5, as 1 is a person's no.
 * @param hints - what to do about a refusal
 */
export function explainFault(error: unknown, hints: Readonly<Partial<Record<WireErrorCode, string>>> = {}): never {
  if (error instanceof ExitError || error instanceof SettingsError) throw error;
  const { message } = error as Error;
  if (error instanceof NoServerError) throw new ExitError(4, message, { cause: error });
  const hint = error instanceof RefusalError ? hints[error.code] : undefined;
  throw new ExitError(5, hint === undefined ? message : `${message} ${hint}`, { cause: error });
}
