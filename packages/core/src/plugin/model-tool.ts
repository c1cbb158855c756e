import { Ajv2020 } from 'ajv/dist/2020.js';
import { isRecord, type Json, type JsonSchema } from '../basics/json.ts';
import { modernise } from '../schema/modern-schema.ts';
import type { ToolOffer } from './agent.ts';

/** A tool as the APIs of models take it. */
export interface ModelTool {
  readonly description: string;
  readonly schema: JsonSchema;
  /** What a model sent for it, with the tool's own names. */
  toArgs(input: Json): Json;
}

interface ModelSchema extends Pick<ModelTool, 'schema' | 'toArgs'> {
  /** What of it stands in the description. */
  readonly told: string;
}

/** A tool is offered with each message. */
const known = new WeakMap<JsonSchema, ModelSchema>();

/**
 * APIs refuse a whole request, and each later one, for one tool's schema that the draft 2020-12 does not take, that has a choice at its
 * top, or a name there beyond letters, digits and a few signs (AGT8). So what is not valid is left out, the model reads a choice in the
 * description, and gets the name in other characters. What it sends is checked before the tool runs.
 */
export function toModelTool({ description, parameters }: Pick<ToolOffer, 'description' | 'parameters'>): ModelTool {
  let read = known.get(parameters);
  if (!read) {
    read = readSchema(parameters);
    known.set(parameters, read);
  }
  return { description: `${description}${read.told}`, schema: read.schema, toArgs: read.toArgs };
}

const choices = ['anyOf', 'oneOf', 'allOf'];
/** They name properties. */
const conditions = ['if', 'then', 'else', 'not', 'dependentRequired', 'dependentSchemas', 'dependencies'];

function readSchema(parameters: JsonSchema): ModelSchema {
  const { properties = {}, required = [], ...others } = validOf(modernise(parameters) as JsonSchema);
  const members = isRecord(properties) ? properties : {};
  const aliases = aliasesOf(Object.keys(members));
  const names = new Map([...aliases].map(([name, alias]) => [alias, name]));
  const toAlias = (name: string) => aliases.get(name) ?? name;
  const isTold = ([keyword]: [string, unknown]) =>
    choices.includes(keyword) || (names.size > 0 && conditions.includes(keyword));
  const entries = Object.entries(others);
  const told = entries.filter(isTold);
  const shown = Object.entries(members).map(([name, member]) => {
    const isNamed = aliases.has(name) && isRecord(member);
    return [toAlias(name), isNamed ? { title: name, ...member } : member];
  });
  return {
    told: told.length === 0 ? '' : `\nThe arguments also fit this schema: ${JSON.stringify(Object.fromEntries(told))}`,
    schema: {
      ...Object.fromEntries(entries.filter((entry) => !isTold(entry))),
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

/** For the names that the API refuses; no two are alike. */
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

/** Faults of one property or definition that are left out one by one; with more it takes anything. */
const maxFaults = 20;

const groups = ['properties', '$defs', 'definitions'];

/** Without the members that the draft 2020-12 does not take. Each property is read by itself, so that the time grows with their number alone. */
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
