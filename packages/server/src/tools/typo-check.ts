import { isRecord, suggestName } from '@parleyhq/core';
import type * as z from 'zod';

/**
 * Members that look like those of a schema and are none, each in a sentence: a typo would do nothing, and nobody would hear of it.
 * `also` names members of the value itself that are no part of the schema. For what authors write; frames and events may have more members than we know (EVT5).
 */
export function findUnknownMembers(
  schema: z.core.$ZodType,
  value: unknown,
  also: readonly string[] = [],
  path: readonly string[] = [],
): string[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'optional':
    case 'nullable':
      return findUnknownMembers(def.innerType, value, also, path);
    case 'array':
      if (!Array.isArray(value)) return [];
      return value.flatMap((member, index) => findUnknownMembers(def.element, member, [], [...path, String(index)]));
    case 'object': {
      if (!isRecord(value)) return [];
      const { shape } = def;
      const below = Object.entries(shape).flatMap(([name, member]) =>
        findUnknownMembers(member, value[name], [], [...path, name]),
      );
      return [...describeUnknown(value, [...Object.keys(shape), ...also], path), ...below];
    }
    default:
      return []; // records, unions and plain values have no names of ours
  }
}

/**
 * Members whose names are nearly ours, each in a sentence. Others are the author's own, or of a later release. What is
 * `undefined` was left out, however it was written.
 */
export function describeUnknown(value: object, names: readonly string[], path: readonly string[] = []): string[] {
  return Object.entries(value).flatMap(([name, member]) => {
    const hint = member === undefined || names.includes(name) ? '' : suggestName(name, names);
    return hint === '' ? [] : [`there is no "${[...path, name].join('.')}".${hint}`];
  });
}
