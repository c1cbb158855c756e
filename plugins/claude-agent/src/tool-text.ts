import { isRecord } from '@parleyhq/core';

/** A tool's result as text. Blocks other than text are replaced by their type. */
export function toText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return content === undefined ? '' : JSON.stringify(content);
  return content.map((block) => (isRecord(block) ? textOf(block) : String(block))).join('\n');
}

function textOf(block: Record<string, unknown>): string {
  return typeof block.text === 'string' ? block.text : `[${block.type}]`;
}
