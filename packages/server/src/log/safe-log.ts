import { isRecord } from '@parleyhq/core';
import type { Logger } from 'pino';
import { describeError } from './describe-error.ts';
import type { Secrets } from './secrets.ts';

/** Levels of nesting that are logged; deeper values are cut. */
const maxDepth = 6;

/**
 * The log as all of the server and its plugins have it: errors without what somebody said in them, and no secret that a
 * person typed or a program showed, wherever it stands (SEC8).
 */
export function makeSafeLog(log: Logger, secrets: Secrets): Logger {
  const formatters = { log: (details: object) => toDetails(scrub(details, secrets)) };
  return log.child({}, { formatters });
}

function toDetails(clean: unknown): Record<string, unknown> {
  return isRecord(clean) ? clean : { details: clean };
}

/** A copy that holds neither; what refers to itself ends somewhere, and what throws when it is read is said to. */
function scrub(value: unknown, secrets: Secrets, depth = 0): unknown {
  if (typeof value === 'string') return secrets.redact(value);
  if (typeof value !== 'object' || value === null) return value;
  try {
    return scrubObject(value, secrets, depth);
  } catch {
    return '(unreadable)';
  }
}

function scrubObject(value: object, secrets: Secrets, depth: number): unknown {
  if (value instanceof Error) return scrub(describeError(value), secrets, depth);
  if (depth === maxDepth) return '…';
  if (Array.isArray(value)) return value.map((member) => scrub(member, secrets, depth + 1));
  if ('toJSON' in value && typeof value.toJSON === 'function') return scrub(value.toJSON(), secrets, depth + 1);
  const members = Object.entries(value);
  return Object.fromEntries(members.map(([key, member]) => [secrets.redact(key), scrub(member, secrets, depth + 1)]));
}
