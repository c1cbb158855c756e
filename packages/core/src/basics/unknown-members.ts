import type * as z from 'zod/mini';
import { isRecord } from './json.ts';
import { suggestName } from './near-name.ts';

/**
 * Reports members that a schema does not have, a sentence each: they would be ignored silently (PLG8). `also` lists allowed
 * members of the value itself that the schema lacks. For what authors write; frames and events may have members that we do not
 * know (EVT5).
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
      const members = Object.entries(value).filter(([, member]) => member !== undefined);
      const hasUnknown = members.some(([name]) => !Object.hasOwn(shape, name) && !also.includes(name));
      const unknown = hasUnknown ? describeUnknown(value, [...Object.keys(shape), ...also], path) : [];
      const below = members.flatMap(([name, member]) => {
        const isDeep = typeof member === 'object' && Object.hasOwn(shape, name);
        return isDeep ? findUnknownMembers(shape[name] as z.core.$ZodType, member, [], [...path, name]) : [];
      });
      return [...unknown, ...below];
    }
    default:
      return []; // records, unions and plain values have no fixed names
  }
}

/**
 * Reports members with unknown names, a sentence each with the name that was probably meant, or else with all known names.
 * Members that are `undefined` count as absent.
 */
export function describeUnknown(value: object, names: readonly string[], path: readonly string[] = []): string[] {
  return Object.entries(value).flatMap(([name, member]) => {
    if (member === undefined || names.includes(name)) return [];
    const hint = suggestName(name, names) || ` Known: ${names.join(', ')}.`;
    return [`there is no "${[...path, name].join('.')}".${hint}`];
  });
}
