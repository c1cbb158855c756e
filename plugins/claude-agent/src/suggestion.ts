import { isRecord } from '@parleyhq/core';

/** What the SDK would allow from now on, in words. It is shown and never applied: it is wider than what people read. */
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
