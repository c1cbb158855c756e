import { randomUUID } from 'node:crypto';
import { isRecord, type Json } from '@parleyhq/core';
import { repeats } from './repeats.ts';

type Members = Readonly<Record<string, unknown>>;
export type Id = string | number;

/** A request that waits for its answer. */
export interface Asked {
  readonly id: Id;
  readonly method: string;
}

export interface Pending {
  /** A server may write the number of a request as a text. */
  find(id: Id): Asked | undefined;
  /** The request that an answer without an id is for, where that is known. */
  findNameless(error: unknown): Asked | undefined;
  /** Hears what was left out, in words for whoever runs Parley. */
  onFault(words: string): void;
}

/** Beside the error of an answer that nobody can read: no server knows it. */
const unreadableMark = randomUUID();

/** Whether this is the `data` of an error of ours: the request was sent, and what became of it is not known. */
export function isUnreadableData(data: unknown): boolean {
  return isRecord(data) && data.unreadable === unreadableMark;
}

/** Ends a request whose answer nobody can read. */
export function unreadable({ id }: Asked, words: string): object {
  return { jsonrpc: '2.0', id, error: { code: -32_000, message: words, data: { unreadable: unreadableMark } } };
}

/**
 * What a server said, as the protocol has it: a null member is an absent one, what cannot be read is left out and named, and an
 * answer that is none ends its request (AGT4). The SDK drops the whole message, and its request would wait for ever.
 */
export function mendMessage(value: unknown, pending: Pending): unknown {
  if (!isRecord(value)) return value;
  if (typeof value.method === 'string') return 'jsonrpc' in value ? mendSaid(value) : value;
  const asked = answeredBy(value, pending);
  if (!asked) return value;
  const error = readError(value);
  if (error) return { jsonrpc: '2.0', id: asked.id, error };
  const { result } = value;
  if (!isRecord(result)) return unreadable(asked, `its result is ${tell(result)}`);
  const { tools } = result;
  if (asked.method === 'tools/list' && tools !== null && !Array.isArray(tools))
    return unreadable(asked, `its list of tools is ${tell(tools)}`);
  return { jsonrpc: '2.0', id: asked.id, result: mendResult(asked.method, result, pending.onFault) };
}

/** What a server asks or tells. A null that it logs is what it logs. */
function mendSaid({ params, ...message }: Members): object {
  if (!isRecord(params)) return withoutNulls({ ...message, params });
  const { _meta, data, ...rest } = params;
  const said = {
    ...withoutNulls(rest),
    ...(data !== undefined && { data }),
    ...(isRecord(_meta) && { _meta: withoutNulls(_meta) }),
  };
  return { ...withoutNulls(message), params: said };
}

/** The request that this answers. Local servers also write lines of JSON that are none of the protocol's, such as those of a log. */
function answeredBy(value: Members, { find, findNameless }: Pending): Asked | undefined {
  const { id, result, error } = value;
  const isNamed = 'jsonrpc' in value;
  const isAnswer = isNamed || isRecord(result) || (isRecord(error) && 'code' in error && 'message' in error);
  if (isId(id)) return isAnswer ? find(id) : undefined;
  return isNamed && (id === null || id === undefined) ? findNameless(error) : undefined;
}

/** The texts of JSON, also one that does not end, and the numbers that JSON does not have. */
const textsAndOddNumbers = /"(?:[^"\\]|\\.?)*(?:"|$)|-?\b(?:NaN|Infinity)\b/gs;

/**
 * @param text - what a server said that is no JSON
 * @returns the end of the request that it answers; undefined where it answers none that is known
 */
export function mendNoJson(text: string, { find }: Pending): object | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    const json = text.replace(textsAndOddNumbers, (part) => (part.startsWith('"') ? part : 'null'));
    const value: unknown = JSON.parse(json);
    if (!isRecord(value) || typeof value.method === 'string' || !isId(value.id)) return undefined;
    const asked = find(value.id);
    return asked && unreadable(asked, 'it has a number that JSON does not have, as NaN');
  } catch {
    return undefined; // a line of another kind: the SDK says so in the log
  }
}

function isId(value: unknown): value is Id {
  return typeof value === 'string' || typeof value === 'number';
}

/** An error that says nothing does not hide a result. */
function readError({ error, result }: Members): object | undefined {
  if (error === undefined || error === null) return undefined;
  const members = isRecord(error) ? withoutNulls(error) : { message: error };
  const saysNothing = error === '' || error === false || Object.keys(members).length === 0;
  return saysNothing && isRecord(result) ? undefined : mendError(members);
}

function mendError({ code, message = '', data }: Members): object {
  const number = typeof code === 'string' && code.trim() !== '' ? Number(code) : code;
  const isCode = Number.isSafeInteger(number);
  const words = (typeof message === 'string' ? message : tell(message)) || 'It does not say why.';
  return {
    code: isCode ? number : -32_000,
    message: isCode || code === undefined ? words : `${words} (${tell(code)})`,
    ...(data !== undefined && { data }),
  };
}

function mendResult(method: string, result: Members, onFault: (words: string) => void): object {
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
  return { ...rest, ...(isRecord(_meta) && { _meta: withoutNulls(_meta) }), resultType };
}

function mendCallResult(result: Members): object {
  const { content, structuredContent: structured, isError, ...rest } = mendEnvelope(result);
  if (rest.resultType === 'input_required' && content === undefined) return rest;
  const parts = (Array.isArray(content) ? content : content === undefined ? [] : [content]).map(readPart);
  const isShown = structured === undefined || isRecord(structured) || typeof result.resultType === 'string';
  if (!isShown && !parts.some((part) => isText(part) && repeats(part.text, structured as Json)))
    parts.push(text(JSON.stringify(structured))); // that of 2025 is an object
  return {
    ...rest,
    content: parts,
    ...(isShown && structured !== undefined && { structuredContent: structured }),
    ...(isError !== undefined && { isError: isError === true || isError === 'true' }),
  };
}

function isText(part: object): part is { readonly text: string } {
  return 'text' in part && typeof part.text === 'string';
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
  if (Array.isArray(value)) return value.filter((each) => each !== null).map(withoutNullsWithin);
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
