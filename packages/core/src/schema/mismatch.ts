import { pathOf, type SchemaIssue } from './standard-schema.ts';

/** What zod adds to the issue of a value that fits no option of a union: the issues of each option. */
interface UnionIssue extends SchemaIssue {
  readonly errors: readonly (readonly (SchemaIssue & { readonly code?: string; readonly expected?: string })[])[];
}

/** Describes validation issues in one text. */
export function describeMismatch(issues: readonly SchemaIssue[]): string {
  return issues
    .flatMap(explain)
    .map((issue) => [pathOf(issue).join('.'), readableOf(issue.message)].filter(Boolean).join(': '))
    .join('; ');
}

/** Returns a schema's message without zod's standard prefix. */
export function readableOf(message: string): string {
  return message.replace(/^Invalid input: /, '');
}

/**
 * Replaces the issue of a union, which says only that the value is invalid: by the issues of the one option that is of the value's
 * type, otherwise by the types of all options.
 */
export function explain(issue: SchemaIssue): readonly SchemaIssue[] {
  if (!isOfUnion(issue)) return [issue];
  const ofType = issue.errors.filter(
    (option) => !option.some(({ code, path }) => code === 'invalid_type' && !path?.length),
  );
  const [only, ...others] = ofType;
  if (only && others.length === 0) {
    return only.flatMap(explain).map((each) => ({ ...each, path: [...(issue.path ?? []), ...(each.path ?? [])] }));
  }
  const expected = issue.errors.flatMap((option) => option.flatMap((each) => each.expected ?? []));
  if (others.length > 0 || expected.length < issue.errors.length) return [issue];
  return [{ ...issue, message: `expected ${[...new Set(expected)].join(' or ')}` }];
}

function isOfUnion(issue: SchemaIssue): issue is UnionIssue {
  return (
    'code' in issue &&
    issue.code === 'invalid_union' &&
    'errors' in issue &&
    Array.isArray(issue.errors) &&
    issue.errors.length > 0
  );
}
