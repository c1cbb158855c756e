import { isRecord, StoreError } from '@parleyhq/core';
import { SettingsError } from './settings-error.ts';

/** An error may be its own cause. */
const maxCauses = 5;

/** How much of an error is said. */
export interface Frankness {
  /** Its message, too, whoever's words are in it: for the eyes of a plugin's author alone (PLG12). */
  readonly logsMessages?: boolean;
}

/**
 * What a log may say of whatever was thrown: its kind, its code and where. The message only where no plugin, person or
 * model has a word in it: anybody else's may hold arguments or answers (SEC8). Never throws, as all that describes errors here:
 * what was thrown may have getters that do, or be a proxy.
 */
export function describeError(thrown: unknown, frankness: Frankness = {}, causes = maxCauses): Record<string, unknown> {
  return tryTo(() => describe(thrown, frankness, causes)) ?? { type: typeof thrown };
}

function describe(thrown: unknown, frankness: Frankness, causes: number): Record<string, unknown> {
  if (!(thrown instanceof Error)) return { type: typeof thrown };
  const { code, cause } = thrown as { code?: unknown; cause?: unknown };
  return {
    type: nameOf(thrown),
    ...(isCode(code) && { code }),
    ...((frankness.logsMessages || isOurs(thrown)) && { message: thrown.message }),
    stack: stackOf(thrown),
    ...(causes > 0 && cause instanceof Error && { cause: describeError(cause, frankness, causes - 1) }),
  };
}

/** A name, as codes are: anybody may throw anything under `code`, also what a person said. */
export function isCode(code: unknown): boolean {
  return typeof code === 'number' || (typeof code === 'string' && /^[A-Za-z]\w{0,63}$/.test(code));
}

export function nameOf(thrown: unknown): string {
  const name = tryTo(() => thrown instanceof Error && thrown.constructor.name);
  return typeof name === 'string' ? name : typeof thrown;
}

/** Whose words it may hold, only its reader can judge. */
export function messageOf(thrown: unknown): string {
  return tryTo(() => String(thrown instanceof Error || isRecord(thrown) ? thrown.message : thrown)) ?? typeof thrown;
}

/** The frames only, without the message that stands before them; a message that was changed since cannot be told from them. */
export function stackOf(thrown: unknown): string | undefined {
  return tryTo(() => (thrown instanceof Error ? framesOf(thrown) : undefined));
}

function framesOf({ message, stack }: Error): string | undefined {
  if (typeof stack !== 'string') return undefined;
  const start = stack.indexOf(message);
  if (start < 0) return undefined;
  const frames = stack.slice(start + message.length).split('\n');
  return frames.filter((line) => /^\s+at .*(:\d+\)?|<anonymous>\)?)$/.test(line)).join('\n');
}

/** Of this server, its database or the system. */
function isOurs(error: Error): boolean {
  if (error instanceof StoreError || error instanceof SettingsError) return true;
  if (!isRecord(error)) return false;
  return 'syscall' in error || String(error.code).startsWith('SQLITE_');
}

function tryTo<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
