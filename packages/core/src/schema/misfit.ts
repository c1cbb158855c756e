import { pathOf, type SchemaIssue } from './standard-schema.ts';

/** What does not fit a schema, in words. */
export function describeMisfit(issues: readonly SchemaIssue[]): string {
  return issues
    .map((issue) => [pathOf(issue).join('.'), readableOf(issue.message)].filter(Boolean).join(': '))
    .join('; ');
}

/** A schema's message without the words that say nothing. */
export function readableOf(message: string): string {
  return message.replace(/^Invalid input: /, '');
}
