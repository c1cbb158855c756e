import { pathOf, type SchemaIssue } from './standard-schema.ts';

/** Describes validation issues in one text. */
export function describeMismatch(issues: readonly SchemaIssue[]): string {
  return issues
    .map((issue) => [pathOf(issue).join('.'), readableOf(issue.message)].filter(Boolean).join(': '))
    .join('; ');
}

/** Returns a schema's message without zod's standard prefix. */
export function readableOf(message: string): string {
  return message.replace(/^Invalid input: /, '');
}
