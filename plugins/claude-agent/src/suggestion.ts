import { isRecord } from '@parleyhq/core';

/** Describes what the SDK suggests allowing. Shown but never applied: it covers more than the call that people see. */
export function toWords(suggestion: unknown): string[] {
  if (!isRecord(suggestion)) return [];
  const { type, rules, directories, mode } = suggestion;
  if (type === 'addRules' && Array.isArray(rules)) return rules.filter(isRecord).map(toRule);
  if (type === 'addDirectories' && Array.isArray(directories)) return directories.map((folder) => `work in ${folder}`);
  return type === 'setMode' ? [`mode ${mode}`] : [];
}

function toRule({ toolName, ruleContent }: Record<string, unknown>): string {
  return typeof ruleContent === 'string' ? `${toolName}(${ruleContent})` : String(toolName);
}
