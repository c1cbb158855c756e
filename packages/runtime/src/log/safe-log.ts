import { isRecord } from '@parleyhq/core';
import type { Logger } from 'pino';
import { describeError, type ErrorDetail } from './describe-error.ts';
import type { Secrets } from './secrets.ts';

/** Levels of nesting that are logged; deeper values are cut. */
const maxDepth = 6;

/**
 * Makes the log that the server and its plugins use: it contains no error messages with what people wrote, and no secret that a
 * person typed or a program showed (SEC8).
 */
export function makeSafeLog(log: Logger, secrets: Secrets, errorDetail: ErrorDetail = {}): Logger {
  const scrubber = new Scrubber(secrets, errorDetail);
  const formatters = { log: (details: object) => toDetails(scrubber.scrub(details)) };
  return log.child({}, { formatters });
}

function toDetails(clean: unknown): Record<string, unknown> {
  return isRecord(clean) ? clean : { details: clean };
}

class Scrubber {
  readonly #secrets: Secrets;
  readonly #frankness: ErrorDetail;

  constructor(secrets: Secrets, errorDetail: ErrorDetail) {
    this.#secrets = secrets;
    this.#frankness = errorDetail;
  }

  /**
   * Returns a copy without error messages and secrets. Cyclic values end at the maximum depth, and a value that throws when read
   * is replaced by a note.
   */
  scrub(value: unknown, depth = 0): unknown {
    if (typeof value === 'string') return this.#secrets.redact(value);
    if (typeof value !== 'object' || value === null) return value;
    try {
      return this.#scrubObject(value, depth);
    } catch {
      return '(unreadable)';
    }
  }

  #scrubObject(value: object, depth: number): unknown {
    if (value instanceof Error) return this.scrub(describeError(value, this.#frankness), depth);
    if (depth === maxDepth) return '…';
    if (Array.isArray(value)) return value.map((member) => this.scrub(member, depth + 1));
    if ('toJSON' in value && typeof value.toJSON === 'function') return this.scrub(value.toJSON(), depth + 1);
    const members = Object.entries(value);
    return Object.fromEntries(
      members.map(([key, member]) => [this.#secrets.redact(key), this.scrub(member, depth + 1)]),
    );
  }
}
