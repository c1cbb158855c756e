import { type Escalation, suggestName } from '@parleyhq/core';
import { SettingsError } from '../log/settings-error.ts';
import type { Policy } from '../tools/policy.ts';

/** Web push, as escalations and deliveries call it. */
export const pushWay = 'push';

/** The first way that a step asks for and there is none of. */
export function findUnknownWay(
  escalate: readonly Pick<Escalation, 'notify'>[],
  known: readonly string[],
): string | undefined {
  const wanted = escalate.flatMap(({ notify }) => (Array.isArray(notify) ? notify : []));
  return wanted.find((way) => !known.includes(way));
}

/**
 * Where a step of the configuration names the ways by which those are told whom it asks, there are such (TEAM5): else it would
 * tell nobody, and nobody would know.
 * @param names - of the notifiers that are configured
 * @throws SettingsError
 */
export function requireWays(policies: readonly Pick<Policy, 'tool' | 'escalate'>[], names: readonly string[]): void {
  const known = [pushWay, ...names];
  for (const { tool, escalate = [] } of policies) {
    const unknown = findUnknownWay(escalate, known);
    if (unknown === undefined) continue;
    const there = `There are: ${known.join(', ')}.`;
    throw new SettingsError(
      `policies: "${tool}" escalates by "${unknown}", and no notifier is called so.${suggestName(unknown, known)} ${there}`,
    );
  }
}
