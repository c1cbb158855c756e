import { randomUUID } from 'node:crypto';
import { isRecord, type Json } from '@parleyhq/core';
import { type Members, tell, withoutNulls, withoutNullsWithin } from './members.ts';
import { mendList } from './mend-lists.ts';
import { readContents, readMessages, readPart, text } from './mend-parts.ts';
import { repeats } from './repeats.ts';

export type Id = string | number;

/** A request that waits for its answer. */
export interface Asked {
  readonly id: Id;
  readonly method: string;
}

export interface Pending {
  /** Returns the request with this id; a server may write a numeric id as a string. */
  find(id: Id): Asked | undefined;
  /** Returns the request that an answer without an id belongs to, if that is known. */
  findNameless(error: unknown): Asked | undefined;
  /** Receives a description of each part that was left out, for the operator. */
  onFault(words: string): void;
}

/** Marks errors made here for unreadable answers; random, so that no server can send it. */
const unreadableMark = randomUUID();

/** Whether this is the `data` of an `unreadable` error: the request was sent, and its outcome is unknown. */
export function isUnreadableData(data: unknown): boolean {
  return isRecord(data) && data.unreadable === unreadableMark;
}

/** Makes the error that ends a request whose answer cannot be read. */
export function unreadable({ id }: Asked, words: string): object {
  return { jsonrpc: '2.0', id, error: { code: -32_000, message: words, data: { unreadable: unreadableMark } } };
}

/**
 * Repairs a server's message so that it conforms to the protocol: null members are removed, unreadable parts are left out and
 * reported, and an invalid answer ends its request (AGT4). The SDK would drop the whole message, and the request would never end.
 */
export function mendMessage(value: unknown, pending: Pending): unknown {
  if (!isRecord(value)) return value;
  if (typeof value.method === 'string') return isSaid(value) ? mendSaid(value, pending.onFault) : value;
  const asked = answeredBy(value, pending);
  if (!asked) return value;
  const error = readError(value);
  if (error) return { jsonrpc: '2.0', id: asked.id, error };
  const { result } = value;
  if (!isRecord(result)) return unreadable(asked, `its result is ${tell(result)}`);
  const mended = mendResult(asked.method, result, pending.onFault);
  if (typeof mended !== 'string') return { jsonrpc: '2.0', id: asked.id, result: mended };
  pending.onFault(mended);
  return unreadable(asked, mended);
}

/** The methods that a server may call. */
const question = /^(?:ping|(?:elicitation|sampling|roots)\/\w+)$/;

/**
 * Whether this is a request or notification. Without `jsonrpc` its method decides, because local servers also print log lines.
 */
function isSaid({ method, jsonrpc }: Members): boolean {
  return jsonrpc !== undefined || question.test(String(method)) || /^notifications\//.test(String(method));
}

/** Repairs a request or notification. A null in `data` is kept, because it is what the server logs. */
function mendSaid({ params, ...message }: Members, onFault: (words: string) => void): object {
  if (!isId(message.id) && question.test(String(message.method)))
    onFault(`its question "${message.method}" cannot be answered: it has no id`);
  const said = { ...withoutNulls(message), jsonrpc: '2.0' };
  if (params === undefined || params === null) return said;
  if (!isRecord(params)) return { ...said, params: {} }; // parameters are named in MCP, so a list means nothing
  const { _meta, data, ...rest } = params;
  const mended = {
    ...withoutNulls(rest),
    ...(data !== undefined && { data }),
    ...(isRecord(_meta) && { _meta: withoutNulls(_meta) }),
  };
  return { ...said, params: mended };
}

/** Returns the request that this answers; undefined for other JSON that local servers print, such as log lines. */
function answeredBy(value: Members, { find, findNameless }: Pending): Asked | undefined {
  const { id, result, error } = value;
  const isNamed = 'jsonrpc' in value;
  const isAnswer = isNamed || isRecord(result) || (isRecord(error) && 'code' in error && 'message' in error);
  if (isId(id)) return isAnswer ? find(id) : undefined;
  return isNamed && (id === null || id === undefined) ? findNameless(error) : undefined;
}

/** Matches JSON strings, even an unterminated one, and the numbers that JSON does not allow. */
const textsAndOddNumbers = /"(?:[^"\\]|\\.?)*(?:"|$)|-?\b(?:NaN|Infinity)\b/gs;

/**
 * @param text - a message that is not valid JSON
 * @returns the error that ends the request it answers; undefined if it answers no known request
 */
export function mendNoJson(text: string, { find }: Pending): object | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    const json = text.replace(textsAndOddNumbers, (part) => (part.startsWith('"') ? part : 'null'));
    const value: unknown = JSON.parse(json);
    if (!isRecord(value) || typeof value.method === 'string' || !isId(value.id)) return undefined;
    const asked = find(value.id);
    return asked && unreadable(asked, 'it has a number that JSON does not allow, such as NaN');
  } catch {
    return undefined; // some other line, which the SDK reports in the log
  }
}

function isId(value: unknown): value is Id {
  return typeof value === 'string' || typeof value === 'number';
}

/** Reads the error of an answer. An empty error is ignored if there is a result. */
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

/** @returns the repaired result, or a text that says why there is none */
function mendResult(method: string, result: Members, onFault: (words: string) => void): object | string {
  if (method === 'tools/call') return mendCallResult(result);
  if (method === 'prompts/get')
    return result.messages === undefined
      ? 'its messages are missing'
      : { ...mendKept(result), messages: readMessages(result.messages) };
  if (method === 'resources/read')
    return result.contents === undefined
      ? 'its contents are missing'
      : { ...mendKept(result), contents: readContents(result.contents) };
  const list = mendList(method, result, onFault);
  if (typeof list === 'string') return list;
  return list ? { ...mendKept(result), ...list } : mendKept(withoutNullsWithin(result) as Members);
}

/** Repairs a cacheable result. In the 2026 era it must say how long and by whom it may be cached; nothing is cached here. */
function mendKept(result: Members): Members {
  const { nextCursor, description, ...rest } = mendEnvelope(result);
  return {
    ...rest,
    ...(typeof nextCursor === 'string' && { nextCursor }),
    ...(typeof description === 'string' && { description }),
    ttlMs: 0,
    cacheScope: 'private',
  };
}

/** Adds `resultType`, which every result of the 2026 era must have; the SDK removes it in the 2025 era. */
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
    parts.push(text(JSON.stringify(structured))); // in the 2025 era a structured value must be an object
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
