import { isRecord } from '@parleyhq/core';
import { newId } from '@parleyhq/runtime';

const maxNameLength = 200;

/**
 * Makes the id of a client's session, for the protocol of 2025: a random part and the name that the client gave. The client sends
 * it with each request, so the server stores nothing, and a restart ends no session.
 */
export function makeSessionId(clientInfo: unknown): string {
  const name = nameOf(clientInfo);
  return name === undefined ? newId() : `${newId()}.${Buffer.from(name).toString('base64url')}`;
}

/** Returns the name in a session's id. */
export function readSessionName(sessionId: string | undefined): string | undefined {
  const [, encoded = ''] = sessionId?.split('.') ?? [];
  return readName(Buffer.from(encoded, 'base64url').toString());
}

/** Returns the name that a client gives itself, which is unverified. */
export function nameOf(clientInfo: unknown): string | undefined {
  if (!isRecord(clientInfo)) return undefined;
  return readName(clientInfo.title) ?? readName(clientInfo.name);
}

function readName(text: unknown): string | undefined {
  return typeof text === 'string' && text !== '' ? text.slice(0, maxNameLength) : undefined;
}
