import { isDeepStrictEqual } from 'node:util';
import { type Json, ToolError } from '@parleyhq/core';
import type { CallToolResult } from './connection.ts';

type Block = CallToolResult['content'][number];

/**
 * What a server returned, for models and people: its text alone where there is no more, its structured value alone where the text
 * only repeats it; else all parts.
 * @throws ToolError `mcp_error` with the server's words where it says that the call failed
 */
export function readResult({ content = [], structuredContent, isError }: CallToolResult, server: string): Json {
  const isAllText = content.every(({ type }) => type === 'text');
  const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  if (isError === true) {
    const words =
      text || (structuredContent === undefined ? 'It does not say why.' : JSON.stringify(structuredContent));
    throw new ToolError('mcp_error', `The MCP server "${server}" says: ${words}`);
  }
  if (structuredContent === undefined) return isAllText ? text : { content: content.map(readBlock) };
  const structured = structuredContent as Json;
  if (content.length === 0 || (isAllText && repeats(text, structured))) return structured;
  return { content: content.map(readBlock), structured };
}

function repeats(text: string, structured: Json): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(text), structured);
  } catch {
    return false; // it is a text for people, beside the value
  }
}

/** Members of the protocol's own, as hints for hosts, stay out. */
function readBlock(block: Block): Json {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'image':
    case 'audio':
      return { type: block.type, mimeType: block.mimeType, data: block.data };
    case 'resource_link':
      return { type: 'resource_link', uri: block.uri, name: block.name };
    case 'resource': {
      const { uri, mimeType, ...held } = block.resource;
      const data: Json = 'text' in held ? { text: held.text } : { data: (held as { blob: string }).blob };
      return { type: 'resource', uri, ...(mimeType !== undefined && { mimeType }), ...data };
    }
    default:
      return block satisfies never;
  }
}
