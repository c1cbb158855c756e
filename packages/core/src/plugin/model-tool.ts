import { Ajv2020 } from 'ajv/dist/2020.js';
import { isRecord, type Json, type JsonSchema } from '../basics/json.ts';
import { modernise } from '../schema/modern-schema.ts';
import type { ToolOffer } from './agent.ts';

/** A tool in the form that model APIs accept. */
export interface ModelTool {
  readonly description: string;
  readonly schema: JsonSchema;
  /** Converts the model's input back to the tool's own names. */
  toArgs(input: Json): Json;
}

interface ModelSchema extends Pick<ModelTool, 'schema' | 'toArgs'> {
  /** Parts of the schema that the description states instead. */
  readonly described: string;
}

/** Cache, because each tool is offered with each message. */
const known = new WeakMap<JsonSchema, ModelSchema>();

/**
 * Adapts a tool for model APIs. They reject a whole request, and each later one, if one tool's schema is not valid in draft
 * 2020-12, has a union at its top, or has a property name with other characters than letters, digits and a few signs (AGT8). So
 * invalid parts are dropped, the description states a union, and such names are replaced. The model's input is validated before
 * the tool runs.
 */
export function toModelTool({ description, parameters }: Pick<ToolOffer, 'description' | 'parameters'>): ModelTool {
  let read = known.get(parameters);
  if (!read) {
    read = readSchema(parameters);
    known.set(parameters, read);
  }
  return { description: `${description}${read.described}`, schema: read.schema, toArgs: read.toArgs };
}

const choices = ['anyOf', 'oneOf', 'allOf'];
/** Keywords that refer to properties by name. */
const conditions = ['if', 'then', 'else', 'not', 'dependentRequired', 'dependentSchemas', 'dependencies'];

function readSchema(parameters: JsonSchema): ModelSchema {
  const { properties = {}, required = [], ...others } = validOf(modernise(parameters) as JsonSchema);
  const members = isRecord(properties) ? properties : {};
  const aliases = aliasesOf(Object.keys(members));
  const names = new Map([...aliases].map(([name, alias]) => [alias, name]));
  const toAlias = (name: string) => aliases.get(name) ?? name;
  const isDescribed = ([keyword]: [string, unknown]) =>
    choices.includes(keyword) || (names.size > 0 && conditions.includes(keyword));
  const entries = Object.entries(others);
  const described = entries.filter(isDescribed);
  const shown = Object.entries(members).map(([name, member]) => {
    const isNamed = aliases.has(name) && isRecord(member);
    return [toAlias(name), isNamed ? { title: name, ...member } : member];
  });
  return {
    described:
      described.length === 0
        ? ''
        : `\nThe arguments also fit this schema: ${JSON.stringify(Object.fromEntries(described))}`,
    schema: {
      ...Object.fromEntries(entries.filter((entry) => !isDescribed(entry))),
      ...(shown.length > 0 && { properties: Object.fromEntries(shown) }),
      ...(Array.isArray(required) && required.length > 0 && { required: required.map(toAlias) }),
      type: 'object',
    },
    toArgs(input) {
      if (names.size === 0 || !isRecord(input)) return input;
      return Object.fromEntries(Object.entries(input).map(([name, value]) => [names.get(name) ?? name, value]));
    },
  };
}

const longestName = 64;

/** Returns unique aliases for the names that APIs reject. */
function aliasesOf(names: readonly string[]): ReadonlyMap<string, string> {
  const taken = new Set(names);
  const counts = new Map<string, number>();
  const refused = names.filter((name) => !/^[\w.-]{1,64}$/.test(name));
  return new Map(
    refused.map((name) => {
      const clean = name.replace(/[^\w.-]+/g, '_').slice(0, longestName) || '_';
      const stem = clean.slice(0, longestName - 8);
      let alias = clean;
      for (let count = counts.get(stem) ?? 2; taken.has(alias); count += 1) {
        alias = `${stem}_${count}`;
        counts.set(stem, count + 1);
      }
      taken.add(alias);
      return [name, alias];
    }),
  );
}

let ajv: Ajv2020 | undefined;

/** Invalid parts of one property or definition that are dropped one by one; with more of them it accepts anything. */
const maxFaults = 20;

const groups = ['properties', '$defs', 'definitions'];

/**
 * Drops the members that are not valid in draft 2020-12. Validates each property separately, so that the time is linear in their
 * number.
 */
function validOf(schema: JsonSchema): JsonSchema {
  const entries = Object.entries(schema);
  const grouped = entries.flatMap(([keyword, group]) => {
    if (!groups.includes(keyword) || !isRecord(group)) return [];
    const schemas = Object.entries(group).filter(([, member]) => isRecord(member) || typeof member === 'boolean');
    return [[keyword, Object.fromEntries(schemas.map(([name, member]) => [name, validPart(member)]))]];
  });
  const others = Object.fromEntries(entries.filter(([keyword]) => !groups.includes(keyword)));
  return { ...(validPart(others) as JsonSchema), ...Object.fromEntries(grouped) };
}

function validPart(written: unknown): unknown {
  if (typeof written === 'boolean') return written;
  ajv ??= new Ajv2020({ strict: false, validateFormats: false, logger: false });
  let part = isRecord(written) ? written : {};
  for (let faults = 0; ajv.validateSchema(part) !== true; faults += 1) {
    const path = ajv.errors?.[0]?.instancePath.split('/').slice(1) ?? [];
    if (path.length === 0 || faults === maxFaults) return {};
    part = without(part, path.map(readPointer)) as JsonSchema;
  }
  return part;
}

function readPointer(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}

function without(value: unknown, [name = '', ...rest]: readonly string[]): unknown {
  const isIt = (each: string | number) => String(each) === name;
  if (Array.isArray(value))
    return value.flatMap((member, index) => (!isIt(index) ? [member] : rest.length > 0 ? [without(member, rest)] : []));
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).flatMap(([key, member]) =>
    !isIt(key) ? [[key, member]] : rest.length > 0 ? [[key, without(member, rest)]] : [],
  );
  return Object.fromEntries(entries);
}
