import { isRecord } from '@parleyhq/core';
import { type Members, tell, withoutNulls } from './members.ts';

/** What of a part is shown; in words that it cannot be read. */
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
    case 'audio':
      return isBase64(data) && typeof mimeType === 'string' ? { type, data, mimeType } : undefined;
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

function readResource({ uri, mimeType, text: words, blob }: Members): object | undefined {
  const held = typeof words === 'string' ? { text: words } : isBase64(blob) ? { blob } : undefined;
  if (!held || typeof uri !== 'string') return undefined;
  return { uri, ...(typeof mimeType === 'string' && { mimeType }), ...held };
}

/** What a resource has, of which one part that cannot be read costs only itself. */
export function readContents(contents: unknown): readonly object[] {
  return asList(contents).map((entry) => {
    const read = isRecord(entry) ? readResource(withoutNulls(entry)) : undefined;
    const uri = isRecord(entry) && typeof entry.uri === 'string' ? entry.uri : '';
    return read ?? { uri, text: unreadablePart(entry) };
  });
}

/** The messages of a prompt, each with one part. A role that the protocol does not have is said before it. */
export function readMessages(messages: unknown): readonly object[] {
  return asList(messages).flatMap((message) => {
    const { role, content } = isRecord(message) ? message : { role: 'user', content: message };
    const isKnown = role === 'user' || role === 'assistant';
    const parts = asList(content).map(readPart);
    const said = isKnown ? parts : [text(`(Its role is ${tell(role)}.)`), ...parts];
    return said.map((part) => ({ role: isKnown ? role : 'user', content: part }));
  });
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
}

function isBase64(value: unknown): value is string {
  return typeof value === 'string' && value.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(value);
}
