import { type Escalation, suggestName } from '@parleyhq/core';
import { type Policy, SettingsError } from '@parleyhq/runtime';

/** Web push, as escalations and deliveries call it. */
export const pushWay = 'push';

/** Returns the name of a notifier for people. */
export function nameWay(way: string): string {
  return way.charAt(0).toUpperCase() + way.slice(1);
}

/** Finds the first way named by a step that does not exist. */
export function findUnknownWay(
  escalate: readonly Pick<Escalation, 'notify'>[],
  known: readonly string[],
): string | undefined {
  const wanted = escalate.flatMap(({ notify }) => (Array.isArray(notify) ? notify : []));
  return wanted.find((way) => !known.includes(way));
}

/**
 * Requires that the ways named by escalation steps of the configuration exist (TEAM5); otherwise a step would silently notify
 * nobody.
 * @param names - names of the configured notifiers
 * @throws SettingsError
 */
export function requireWays(policies: readonly Pick<Policy, 'tool' | 'escalate'>[], names: readonly string[]): void {
  const known = [pushWay, ...names];
  for (const { tool, escalate = [] } of policies) {
    const unknown = findUnknownWay(escalate, known);
    if (unknown === undefined) continue;
    const there = `There are: ${known.join(', ')}.`;
    throw new SettingsError(
      `policies: "${tool}" escalates by "${unknown}", and no notifier has this name.${suggestName(unknown, known)} ${there}`,
    );
  }
}
