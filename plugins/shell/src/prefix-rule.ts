import { followersOf, isRoutine, readCommandPrefix } from '@parleyhq/claude-tools';
import type { OfferedRule, Rule } from '@parleyhq/core';
import { readSimpleCommand } from './simple-command.ts';

/** A command and the folder in which it runs. */
export interface Placed {
  readonly command: string;
  readonly folder: string;
}

/** Folders whose names can be part of a label and not be taken for its words. */
const plainFolder = /^[\p{L}\p{M}\p{N} @%+=:./\\_~()-]{1,200}$/u;

/**
 * Returns the rule that a command offers: its prefix, in its folder, for this session. Offers none unless known to be harmless.
 */
export function offerPrefix({ command, folder }: Placed): readonly OfferedRule[] {
  const words = readSimpleCommand(command);
  const prefix = words && readCommandPrefix(words);
  if (!prefix || !plainFolder.test(folder)) return [];
  const label = `\`${prefix.join(' ')}\` ${followersOf(prefix)}, in ${folder}`;
  return [{ id: 'prefix', label, key: ['run_command', folder, ...prefix], scopes: ['session'] }];
}

/** Whether a rule covers a command: the same prefix in the same folder, and nothing that `offerPrefix` would not offer. */
export function isCoveredBy({ key }: Pick<Rule, 'key'>, { command, folder }: Placed): boolean {
  const words = readSimpleCommand(command);
  const prefix = words && readCommandPrefix(words);
  return prefix !== undefined && JSON.stringify(['run_command', folder, ...prefix]) === JSON.stringify(key);
}

/** Whether a command is known to look at something, or to test or build a project. All others are of high risk. */
export function isKnown({ command }: Pick<Placed, 'command'>): boolean {
  const words = readSimpleCommand(command);
  const prefix = words && readCommandPrefix(words);
  return prefix !== undefined && isRoutine(prefix);
}

/** Returns the prefix that all of these commands have in common, in one folder (LESS2). */
export function suggestPrefix(commands: readonly Placed[]): readonly OfferedRule[] {
  const [first, ...others] = commands;
  const rules = first && commands.every(isKnown) ? offerPrefix(first) : [];
  return rules.filter((rule) => others.every((command) => isCoveredBy(rule, command)));
}
