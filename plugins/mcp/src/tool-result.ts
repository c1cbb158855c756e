import { findInexactNumber, type Json, ToolError } from '@parleyhq/core';
import type { CallToolResult } from './connection.ts';
import { repeats } from './repeats.ts';

type Block = CallToolResult['content'][number];
type ReadBlock = { readonly [name: string]: Json };

/** Maximum characters of base64 in all blocks together; with the text a result then stays below its limit (SEC6). */
const maxData = 900_000;

/**
 * Converts a server's result for models and people: only its text if there is nothing else, only its structured value if the text
 * repeats it, else all parts.
 * @throws ToolError `mcp_error` with the server's text if it reports that the call failed
 */
export function readResult({ content = [], structuredContent, isError }: CallToolResult, server: string): Json {
  const blocks = readBlocks(content);
  const isAllText = blocks.every(({ type }) => type === 'text');
  const text = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  if (isError === true) {
    const words =
      text || (structuredContent === undefined ? 'It does not say why.' : JSON.stringify(structuredContent));
    throw new ToolError('mcp_error', `The MCP server "${server}" says: ${words}`);
  }
  if (structuredContent === undefined) return isAllText ? text : { content: blocks };
  const structured = structuredContent as Json;
  if (content.length === 0) return structured;
  // the text keeps numbers that JavaScript would round
  if (isAllText && repeats(text, structured)) return findInexactNumber(text) ? text : structured;
  return { content: blocks, structured };
}

/** Replaces data that would make the result too large by a text that says so, because the call itself has succeeded. */
function readBlocks(content: readonly Block[]): ReadBlock[] {
  let left = maxData;
  return content.map((block): ReadBlock => {
    const read = readBlock(block);
    const { data = '', mimeType = 'no type', uri = read.type } = read as Readonly<Record<string, string>>;
    if (data.length > left)
      return { type: 'text', text: `${uri} (${mimeType}) is left out: it has ${data.length} characters of base64.` };
    left -= data.length;
    return read;
  });
}

/** Reads a block without members that are only meant for hosts. */
function readBlock(block: Block): ReadBlock {
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
