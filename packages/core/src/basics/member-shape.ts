import { isRecord } from './json.ts';
import { describeUnknown } from './unknown-members.ts';

/** The members that an object may have: what fits each, and what it must be in words. A member may be absent unless it is required. */
export type Shape<T> = {
  readonly [Name in keyof T]-?: readonly [fits: (value: unknown) => boolean, words: string, is?: 'required'];
};

/** Returns what is wrong with an object that an author wrote, as a sentence; undefined if it has the shape. */
export function findMemberFault<T extends object>(value: T, shape: Shape<T>): string | undefined {
  if (!isRecord(value)) return 'it must be an object.';
  const [unknown] = describeUnknown(value, Object.keys(shape));
  if (unknown !== undefined) return unknown;
  for (const [name, [fits, words, is]] of Object.entries<Shape<T>[keyof T]>(shape)) {
    const member = value[name];
    if (member === undefined && is) return `it has no "${name}", which must be ${words}.`;
    if (member !== undefined && !fits(member)) return `its "${name}" must be ${words}.`;
  }
  return undefined;
}
