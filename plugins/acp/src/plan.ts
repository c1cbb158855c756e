import { isRecord } from '@parleyhq/core';

const marks: Readonly<Record<string, string>> = { completed: '[x]', in_progress: '[ ] **now:**' };

/** Describes each entry of a plan as a line of a list. */
export function describePlan(entries: unknown): string[] {
  return (Array.isArray(entries) ? entries : [])
    .filter((entry) => isRecord(entry))
    .map(({ content, status }) => `- ${marks[String(status)] ?? '[ ]'} ${String(content)}`);
}
