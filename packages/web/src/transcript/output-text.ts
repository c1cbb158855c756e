import { isRecord, type Json, splitMedia } from '@parleyhq/core';
import { writeReadably } from './readable-json.ts';

/** Members in which tools return what they printed. */
const printed = ['output', 'stdout', 'stderr', 'text'];

/** Formats a result as text: first what was printed, as it was printed, then the rest, if any. */
export function writeOutput(returned: Json | undefined): string {
  const result = splitMedia(returned ?? null).rest;
  const blocks = isRecord(result) && Object.keys(result).length === 1 ? result.content : result;
  if (Array.isArray(blocks) && blocks.length > 0 && blocks.every(isTextBlock)) return joinTexts(blocks);
  if (!isRecord(result)) return writeReadably(result);
  const isPrinted = ([name, value]: [string, Json | undefined]) => printed.includes(name) && typeof value === 'string';
  const entries = Object.entries(result);
  const texts = entries.filter(isPrinted).map(([, text]) => String(text));
  if (texts.length === 0) return writeReadably(result);
  const rest = entries
    .filter((entry) => !isPrinted(entry))
    .map(([name, value]) => `${name}: ${writeReadably(value ?? null)}`);
  return [texts.filter((text) => text !== '').join('\n'), rest.join('\n')]
    .map((part) => part.replace(/\n$/, ''))
    .filter((part) => part !== '')
    .join('\n\n');
}

/** Whether a block of a Model Context Protocol result contains nothing but text. */
function isTextBlock(block: Json): block is { readonly type: 'text'; readonly text: string } {
  return isRecord(block) && block.type === 'text' && typeof block.text === 'string' && Object.keys(block).length === 2;
}

const joinTexts = (blocks: readonly { readonly text: string }[]): string => blocks.map(({ text }) => text).join('\n');
