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
  const formatters = { log: (details: object) => scrub(details, secrets) as Record<string, unknown> };
  return log.child({}, { formatters });
}

/** A copy that holds neither; what refers to itself ends somewhere. */
function scrub(value: unknown, secrets: Secrets, depth = 0): unknown {
  if (typeof value === 'string') return secrets.redact(value);
  if (value instanceof Error) return scrub(describeError(value), secrets, depth);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === maxDepth) return '…';
  if (Array.isArray(value)) return value.map((member) => scrub(member, secrets, depth + 1));
  if ('toJSON' in value && typeof value.toJSON === 'function') return scrub(value.toJSON(), secrets, depth + 1);
  const members = Object.entries(value);
  return Object.fromEntries(members.map(([key, member]) => [secrets.redact(key), scrub(member, secrets, depth + 1)]));
}
