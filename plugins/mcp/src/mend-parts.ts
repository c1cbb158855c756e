import { isRecord } from '@parleyhq/core';
import { type Members, tell, withoutNulls, withoutNullsWithin } from './members.ts';

/** Returns the members of a part that are shown; for an unreadable part, a text that says so. */
export function readPart(part: unknown): object {
  const read = isRecord(part) ? readKnownPart(withoutNulls(part)) : typeof part === 'string' ? text(part) : undefined;
  return read ?? text(unreadablePart(part));
}

function unreadablePart(part: unknown): string {
  return `(A part that cannot be read: ${tell(part)})`;
}

export function text(words: string): object {
  return { type: 'text', text: words };
}

function readKnownPart({ type, text: words, data, mimeType, uri, name, resource }: Members): object | undefined {
  switch (type) {
    case 'text':
      return typeof words === 'string' ? text(words) : undefined;
    case 'image':
    case 'audio': {
      const bytes = readBase64(data);
      return bytes !== undefined && typeof mimeType === 'string' ? { type, data: bytes, mimeType } : undefined;
    }
    case 'resource_link':
      if (typeof uri !== 'string') return undefined;
      return { type, uri, name: typeof name === 'string' ? name : uri };
    case 'resource': {
      const read = isRecord(resource) ? readResource(withoutNulls(resource)) : undefined;
      return read && { type, resource: read };
    }
    default:
      return undefined;
  }
}

function readResource({ uri, mimeType, text: words, blob, _meta }: Members): object | undefined {
  const bytes = readBase64(blob);
  const held = typeof words === 'string' ? { text: words } : bytes !== undefined ? { blob: bytes } : undefined;
  if (!held || typeof uri !== 'string') return undefined;
  const meta = isRecord(_meta) && { _meta: withoutNullsWithin(_meta) };
  return { uri, ...(typeof mimeType === 'string' && { mimeType }), ...meta, ...held };
}

/**
 * Reads the contents of a resource. A part without an address gets an empty one; an unreadable part becomes a text that says so.
 */
export function readContents(contents: unknown): readonly object[] {
  return asList(contents).map((entry) => {
    const part = typeof entry === 'string' ? { text: entry } : entry;
    const { uri, ...rest } = isRecord(part) ? withoutNulls(part) : {};
    const address = typeof uri === 'string' ? uri : '';
    return readResource({ ...rest, uri: address }) ?? { uri: address, text: unreadablePart(entry) };
  });
}

/** Reads the messages of a prompt, each with one part. An unknown role is named in a text before the message. */
export function readMessages(messages: unknown): readonly object[] {
  return asList(messages).flatMap((message) => {
    const { role, content } = isRecord(message) ? message : { role: 'user', content: message };
    const isKnown = role === 'user' || role === 'assistant';
    const parts = asList(content ?? message).map(readPart);
    const said = isKnown ? parts : [text(`(Its role is ${tell(role)}.)`), ...parts];
    return said.map((part) => ({ role: isKnown ? role : 'user', content: part }));
  });
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
}

/** Normalises base64: a server may break it into lines or omit the padding. */
function readBase64(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.replace(/\s+/g, '');
  const padded = text.includes('=') ? text : text.padEnd(Math.ceil(text.length / 4) * 4, '=');
  return padded.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(padded) ? padded : undefined;
}
