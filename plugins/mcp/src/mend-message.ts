import { isRecord, type Json } from '@parleyhq/core';

type Members = Readonly<Record<string, unknown>>;
export type Id = string | number;

/** The requests that wait for their answers. */
export interface Pending {
  /** Undefined for one that does not wait. */
  methodOf(id: Id): string | undefined;
  /** The request that an answer without an id is for, where there is only one. */
  readonly only: Id | undefined;
  /** Hears what was left out, in words for whoever runs Parley. */
  onFault(words: string): void;
}

/** Of an answer that is none: the request was sent, and what became of it is not known. */
export const unreadableCode = -32_099;

/**
 * What a server said, as the protocol has it: a null member is an absent one, what cannot be read is left out and named, and an
 * answer that is none ends its request (AGT4). The SDK drops the whole message, and its request would wait for ever.
 */
export function mendMessage(value: unknown, pending: Pending): unknown {
  if (!isRecord(value)) return value;
  if (typeof value.method === 'string') return 'jsonrpc' in value ? withoutNulls(value) : value;
  const id = answeredBy(value, pending);
  if (id === undefined) return value;
  const { error, result } = value;
  if (isRecord(error)) return { jsonrpc: '2.0', id, error: mendError(error) };
  if (error !== undefined && error !== null) return unreadable(id, `its error is ${tell(error)}`);
  if (!isRecord(result)) return unreadable(id, `its result is ${tell(result)}`);
  return { jsonrpc: '2.0', id, result: mendResult(pending.methodOf(id), result, pending.onFault) };
}

/** The request that this answers; local servers also write lines that are none of the protocol's. */
function answeredBy(value: Members, { methodOf, only }: Pending): Id | undefined {
  const { id } = value;
  if (isId(id)) return methodOf(id) === undefined ? undefined : id;
  return 'jsonrpc' in value && (id === null || id === undefined) ? only : undefined;
}

/** Numbers that JSON does not have, and the texts in which they are no numbers. */
const noNumbers = /"(?:[^"\\]|\\.)*"|-?\b(?:NaN|Infinity)\b/g;

/**
 * @param text - what a server said that is no JSON
 * @returns the end of the request that it answers; undefined where it answers none that is known
 */
export function mendNoJson(text: string, { methodOf }: Pending): unknown {
  try {
    const value: unknown = JSON.parse(text.replace(noNumbers, (part) => (part.startsWith('"') ? part : 'null')));
    if (!isRecord(value) || typeof value.method === 'string' || !isId(value.id)) return undefined;
    return methodOf(value.id) && unreadable(value.id, 'it has a number that JSON does not have, as NaN');
  } catch {
    return undefined; // a line of another kind: the SDK says so in the log
  }
}

function unreadable(id: Id, words: string): object {
  return { jsonrpc: '2.0', id, error: { code: unreadableCode, message: words } };
}

function isId(value: unknown): value is Id {
  return typeof value === 'string' || typeof value === 'number';
}

function mendError(error: Members): object {
  const { code, message = 'It does not say why.', data } = withoutNulls(error);
  const number = Number(code);
  const isCode = code !== '' && Number.isSafeInteger(number);
  const words = typeof message === 'string' ? message : tell(message);
  return {
    code: isCode ? number : -32_000,
    message: isCode || code === undefined ? words : `${words} (${tell(code)})`,
    ...(data !== undefined && { data }),
  };
}

function mendResult(method: string | undefined, result: Members, onFault: (words: string) => void): object {
  if (method === 'tools/call') return mendCallResult(result);
  if (method === 'tools/list') return { ...mendKept(result), tools: readTools(result.tools, onFault) };
  return mendKept(withoutNullsWithin(result) as Members);
}

/** The era of 2026 also says how long a result may be kept, and by whom; nothing is kept here. */
function mendKept(result: Members): Members {
  return { ...mendEnvelope(result), ttlMs: 0, cacheScope: 'private' };
}

/** The era of 2026 says of each result whether it is complete; the SDK takes that away in the era of 2025. */
function mendEnvelope(result: Members): Members {
  const { _meta, ...rest } = withoutNulls(result);
  const resultType = typeof rest.resultType === 'string' ? rest.resultType : 'complete';
  return { ...rest, ...(isRecord(_meta) && { _meta }), resultType };
}

function mendCallResult(result: Members): object {
  const { content, structuredContent, isError, ...rest } = mendEnvelope(result);
  if (rest.resultType === 'input_required') return rest;
  const parts = Array.isArray(content) ? content : content === undefined ? [] : [content];
  return {
    ...rest,
    content: parts.map(readPart),
    ...(structuredContent !== undefined && { structuredContent }),
    ...(isError !== undefined && { isError: isError === true || isError === 'true' }),
  };
}

/** What of a part is shown; in words that it cannot be read. */
function readPart(part: unknown): object {
  const read = isRecord(part) ? readKnownPart(withoutNulls(part)) : typeof part === 'string' ? text(part) : undefined;
  return read ?? text(`(A part that cannot be read: ${tell(part)})`);
}

function text(words: string): object {
  return { type: 'text', text: words };
}

function readKnownPart({ type, text: words, data, mimeType, uri, name, resource }: Members): object | undefined {
  switch (type) {
    case 'text':
      return typeof words === 'string' ? text(words) : undefined;
    case 'image':
    case 'audio':
      return isBase64(data) && typeof mimeType === 'string' ? { type, data, mimeType } : undefined;
    case 'resource_link':
      if (typeof uri !== 'string') return undefined;
      return { type, uri, name: typeof name === 'string' ? name : uri };
    case 'resource':
      return isRecord(resource) ? readResource(withoutNulls(resource)) : undefined;
    default:
      return undefined;
  }
}

function readResource({ uri, mimeType, text: words, blob }: Members): object | undefined {
  const held = typeof words === 'string' ? { text: words } : isBase64(blob) ? { blob } : undefined;
  if (!held || typeof uri !== 'string') return undefined;
  return { type: 'resource', resource: { uri, ...(typeof mimeType === 'string' && { mimeType }), ...held } };
}

function isBase64(value: unknown): value is string {
  return typeof value === 'string' && value.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(value);
}

/** Of each tool what Parley shows and sends, so that no other member of it can be wrong. */
function readTools(tools: unknown, onFault: (words: string) => void): readonly object[] {
  return (Array.isArray(tools) ? tools : []).flatMap((tool, index) => {
    const read = isRecord(tool) ? readTool(withoutNulls(tool)) : 'it is no object';
    if (typeof read !== 'string') return [read];
    const name = isRecord(tool) && typeof tool.name === 'string' ? `"${tool.name}"` : `number ${index + 1}`;
    onFault(`its tool ${name} is left out: ${read}`);
    return [];
  });
}

const noParameters = { type: 'object' } as const;

function readTool({ name, title, description, inputSchema, annotations }: Members): object | string {
  if (typeof name !== 'string' || name === '') return 'it has no name';
  const schema = inputSchema === undefined ? noParameters : inputSchema;
  if (!isRecord(schema)) return `its inputSchema is ${tell(schema)}`;
  const { type = 'object', properties, required, ...rest } = withoutNulls(schema);
  if (type !== 'object' && !(Array.isArray(type) && type.includes('object')))
    return `its inputSchema is of type ${tell(type)}`;
  return {
    name,
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { description }),
    ...(isRecord(annotations) && { annotations: readAnnotations(annotations) }),
    inputSchema: {
      ...rest,
      type: 'object',
      ...(isRecord(properties) && { properties: mapValues(properties, readProperty) }),
      ...(Array.isArray(required) && { required: required.filter((each) => typeof each === 'string') }),
    },
  };
}

/** A property without a schema takes anything. */
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

function withoutNulls(members: Members): Members {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));
}

function withoutNullsWithin(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNullsWithin);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(withoutNulls(value)).map(([name, each]) => [name, withoutNullsWithin(each)]),
  );
}

/** In characters. */
const maxTold = 300;

function tell(value: unknown): string {
  if (value === undefined) return 'not there';
  const words = JSON.stringify(value);
  return words.length > maxTold ? `${words.slice(0, maxTold)} …` : words;
}
