import { suggestName } from '@parleyhq/core';
import { SettingsError } from '../log/settings-error.ts';
import type { Policy } from '../tools/policy.ts';

/** Web push, as escalations and deliveries call it. */
export const pushWay = 'push';

/**
 * Where a step of the configuration names the ways by which those are told whom it asks, there are such (TEAM5): else it would
 * tell nobody, and nobody would know.
 * @param names - of the notifiers that are configured
 * @throws SettingsError
 */
export function requireWays(policies: readonly Pick<Policy, 'tool' | 'escalate'>[], names: readonly string[]): void {
  const known = [pushWay, ...names];
  for (const { tool, escalate = [] } of policies)
    for (const { notify } of escalate) {
      const unknown = Array.isArray(notify) ? notify.find((name) => !known.includes(name)) : undefined;
      if (unknown === undefined) continue;
      const there = `There are: ${known.join(', ')}.`;
      throw new SettingsError(
        `policies: "${tool}" escalates by "${unknown}", and no notifier is called so.${suggestName(unknown, known)} ${there}`,
      );
    }
}
