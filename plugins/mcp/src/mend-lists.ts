import { isRecord, type Json } from '@parleyhq/core';
import { type Members, tell, withoutNulls, withoutNullsWithin } from './members.ts';

interface List {
  /** The member of a result that holds the list. */
  readonly member: string;
  /** The word for one entry. */
  readonly noun: string;
  /** @returns the members that Parley uses; a string says why the entry cannot be used */
  read(entry: Members, onFault: (words: string) => void): object | string;
}

const lists: Readonly<Record<string, List>> = {
  'tools/list': { member: 'tools', noun: 'tool', read: readTool },
  'resources/list': { member: 'resources', noun: 'resource', read: (entry) => readResource(entry, 'uri') },
  'resources/templates/list': {
    member: 'resourceTemplates',
    noun: 'template',
    read: (entry) => readResource(entry, 'uriTemplate'),
  },
  'prompts/list': { member: 'prompts', noun: 'prompt', read: readPrompt },
};

/**
 * Reads the list that a method asks for; an entry that cannot be used is left out and reported.
 * @returns the mended list under its member; the problem if the result has no list; undefined if the method asks for no list
 */
export function mendList(
  method: string,
  result: Members,
  onFault: (words: string) => void,
): object | string | undefined {
  const list = Object.hasOwn(lists, method) ? lists[method] : undefined;
  if (!list) return undefined;
  const { member, noun, read } = list;
  const entries = result[member] === null ? [] : result[member];
  if (!Array.isArray(entries)) return `its list of ${noun}s is ${tell(entries)}`;
  const kept = entries.flatMap((entry, index) => {
    if (entry === null) return [];
    const found = isRecord(entry) ? read(withoutNulls(entry), onFault) : 'it is not an object';
    if (typeof found !== 'string') return [found];
    const name = isRecord(entry) && typeof entry.name === 'string' ? `"${entry.name}"` : `number ${index + 1}`;
    onFault(`its ${noun} ${name} is left out: ${found}`);
    return [];
  });
  return { [member]: kept };
}

function readResource(entry: Members, address: 'uri' | 'uriTemplate'): object | string {
  const { [address]: uri, name, mimeType, size } = entry;
  if (typeof uri !== 'string') return 'it has no address';
  return {
    [address]: uri,
    ...readTitles({ ...entry, name: typeof name === 'string' ? name : uri }),
    ...(typeof mimeType === 'string' && { mimeType }),
    ...(typeof size === 'number' && { size }),
  };
}

function readPrompt(entry: Members, onFault: (words: string) => void): object | string {
  const { name, arguments: takes } = entry;
  if (typeof name !== 'string') return 'it has no name';
  if (takes === undefined) return readTitles(entry);
  if (!Array.isArray(takes)) return `its arguments are ${tell(takes)}`;
  const named = takes.filter((argument) => isRecord(argument) && typeof argument.name === 'string');
  if (named.length < takes.length) onFault(`its prompt "${name}" has an argument without a name, which is left out`);
  return { ...readTitles(entry), arguments: named.map(readArgument) };
}

function readArgument(argument: Members): object {
  const { required } = argument;
  const isRequired = required === true || required === 'true';
  return { ...readTitles(argument), ...(typeof required === 'boolean' || isRequired ? { required: isRequired } : {}) };
}

function readTitles({ name, title, description }: Members): object {
  return {
    name,
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { description }),
  };
}

const noParameters = { type: 'object' } as const;

function readTool({ name, title, description, inputSchema, annotations, _meta }: Members): object | string {
  if (typeof name !== 'string' || name === '') return 'it has no name';
  const schema = inputSchema === undefined ? noParameters : inputSchema;
  if (!isRecord(schema)) return `its inputSchema is ${tell(schema)}`;
  const { type = 'object', properties, required, ...rest } = withoutNulls(schema);
  if (type !== 'object' && !(Array.isArray(type) && type.includes('object')))
    return `its inputSchema is of type ${tell(type)}`;
  return {
    ...readTitles({ name, title, description }),
    ...(isRecord(annotations) && { annotations: readAnnotations(annotations) }),
    ...(isRecord(_meta) && { _meta: withoutNullsWithin(_meta) }),
    inputSchema: {
      ...rest,
      type: 'object',
      ...(isRecord(properties) && { properties: mapValues(properties, readProperty) }),
      ...(Array.isArray(required) && { required: required.filter((each) => typeof each === 'string') }),
    },
  };
}

/** Reads the schema of a property; one without a schema accepts any value. */
function readProperty(schema: unknown): Json {
  return isRecord(schema) || typeof schema === 'boolean' ? (schema as Json) : {};
}

function readAnnotations(annotations: Members): object {
  const { title, ...hints } = annotations;
  const known = Object.entries(hints).filter(([, value]) => typeof value === 'boolean');
  return { ...(typeof title === 'string' && { title }), ...Object.fromEntries(known) };
}

function mapValues(members: Members, map: (value: unknown) => Json): object {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, map(value)]));
}
