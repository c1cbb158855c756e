import { isRecord } from '@parleyhq/core';

type Members = Readonly<Record<string, unknown>>;

/**
 * A message of JSON-RPC as far as the proxy reads it. Ids are compared by their JSON: 1 is another id than "1". One that could not be
 * written again as it came is not read.
 */
export type Message =
  | { readonly type: 'request'; readonly id: string; readonly method: string; readonly params: Members }
  | { readonly type: 'notification'; readonly method: string; readonly params: Members }
  | { readonly type: 'response'; readonly id: string; readonly result: unknown; readonly isError: boolean };

/** @returns undefined for anything else, which is passed on all the same */
export function readMessage(line: Buffer | string): Message | undefined {
  let read: unknown;
  try {
    read = JSON.parse(String(line));
  } catch {
    return undefined;
  }
  if (!isRecord(read)) return undefined;
  const { id, method, result, error } = read;
  const params = isRecord(read.params) ? read.params : {};
  const key = typeof id === 'string' || Number.isSafeInteger(id) ? JSON.stringify(id) : undefined;
  if (typeof method === 'string')
    return key === undefined ? { type: 'notification', method, params } : { type: 'request', id: key, method, params };
  return key === undefined
    ? undefined
    : { type: 'response', id: key, result, isError: error !== undefined && error !== null };
}

/** Writes a message as a line. @param id - its JSON */
export function writeResult(id: string, result: unknown): string {
  return `${JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(id), result })}\n`;
}

export function writeError(id: string, code: number, message: string): string {
  return `${JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(id), error: { code, message } })}\n`;
}

export function writeNotification(method: string, params: object): string {
  return `${JSON.stringify({ jsonrpc: '2.0', method, params })}\n`;
}

/** Returns a line under another id than it has; the line itself if that is the same. Both are JSON. */
export function withId(line: Buffer | string, had: string, id: string): Buffer | string {
  if (had === id) return line;
  return `${JSON.stringify({ ...(JSON.parse(String(line)) as object), id: JSON.parse(id) })}\n`;
}
