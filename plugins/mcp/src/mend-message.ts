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

/** What a server may ask. */
const question = /^(?:ping|(?:elicitation|sampling|roots)\/\w+)$/;

/** A server that does not say that it speaks JSON-RPC is known by its words: local ones also write lines of a log. */
function isSaid({ method, jsonrpc }: Members): boolean {
  return jsonrpc !== undefined || question.test(String(method)) || /^notifications\//.test(String(method));
}

/** What a server asks or tells. A null that it logs is what it logs. */
function mendSaid({ params, ...message }: Members, onFault: (words: string) => void): object {
  if (!isId(message.id) && question.test(String(message.method)))
    onFault(`its question "${message.method}" cannot be answered: it has no id`);
  const said = { ...withoutNulls(message), jsonrpc: '2.0' };
  if (params === undefined || params === null) return said;
  if (!isRecord(params)) return { ...said, params: {} }; // parameters have names: a list has nothing to read
  const { _meta, data, ...rest } = params;
  const mended = {
    ...withoutNulls(rest),
    ...(data !== undefined && { data }),
    ...(isRecord(_meta) && { _meta: withoutNulls(_meta) }),
  };
  return { ...said, params: mended };
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

/** @returns a text that says why there is no result */
function mendResult(method: string, result: Members, onFault: (words: string) => void): object | string {
  if (method === 'tools/call') return mendCallResult(result);
  if (method === 'prompts/get')
    return result.messages === undefined
      ? 'its messages are not there'
      : { ...mendKept(result), messages: readMessages(result.messages) };
  if (method === 'resources/read')
    return result.contents === undefined
      ? 'its contents are not there'
      : { ...mendKept(result), contents: readContents(result.contents) };
  const list = mendList(method, result, onFault);
  if (typeof list === 'string') return list;
  return list ? { ...mendKept(result), ...list } : mendKept(withoutNullsWithin(result) as Members);
}

/** The era of 2026 also says how long a result may be kept, and by whom; nothing is kept here. */
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
