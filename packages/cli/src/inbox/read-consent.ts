import { findRule, type InboxEntry } from '@parleyhq/core';
import { SettingsError } from '../settings/settings.ts';

/**
 * Reads what a yes allows from `--rule` and `--scope`. A rule that is offered for a single scope needs no `--scope` (APR7).
 * @throws SettingsError if there is no such rule, or several scopes to choose from
 */
export function readConsent(
  { interaction }: Pick<InboxEntry, 'interaction'>,
  { rule: ruleId, scope }: { readonly rule?: string; readonly scope?: string },
): { readonly ruleId?: string; readonly approvalScope?: string | undefined } {
  if (ruleId === undefined) return { approvalScope: scope };
  const { rules = [] } = interaction;
  const rule = findRule(interaction, ruleId);
  if (!rule) {
    const known = rules.map(({ id }) => id).join(', ');
    throw new SettingsError(
      rules.length === 0
        ? '--rule: this prompt offers none.'
        : `--rule ${ruleId}: it was not offered. Rules: ${known}.`,
    );
  }
  if (scope === undefined && rule.scopes.length > 1)
    throw new SettingsError(`--rule ${ruleId}: choose a --scope. It is offered for: ${rule.scopes.join(', ')}.`);
  return { ruleId, approvalScope: scope ?? rule.scopes[0] };
}
