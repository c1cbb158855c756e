import { showHidden } from '../basics/visible-text.ts';
import { type Block, type Entry, formatMoment, type Line, type Span } from './line.ts';
import type { Transcript } from './transcript.ts';

/**
 * Renders the transcript as Markdown, in chunks. Headings and lists are Parley's own. Texts of people, agents and tools are put
 * in code fences longer than any that they contain, or in quotes with all markup escaped.
 */
export function* renderMarkdown({ title, facts, entries }: Transcript): Iterable<string> {
  yield `# Transcript: ${renderSpan({ said: title })}\n\n${facts.map((each) => `- ${renderLine(each)}\n`).join('')}`;
  for (const entry of entries) yield `\n${renderEntry(entry, 2)}`;
}

function renderEntry({ heading, timestamp, seq, blocks }: Entry, level: number): string {
  const head = `${'#'.repeat(level)} ${renderLine(heading)}\n\n${formatMoment(timestamp)} · event ${seq}\n`;
  return head + blocks.map((block, index) => renderBlock(block, blocks[index - 1], level)).join('');
}

function renderBlock(block: Block, before: Block | undefined, level: number): string {
  switch (block.kind) {
    case 'fact':
      return `${before?.kind === 'fact' ? '' : '\n'}- ${renderLine(block.line)}\n`;
    case 'outcome':
      return `\n**${block.mark}**${renderLine(block.line)}\n`;
    case 'prose':
      return `${block.label ? `\n${renderLine(block.label)}:\n` : ''}\n${quote(block.text)}\n`;
    case 'code':
      return `\n${renderLine(block.label)}:\n\n${fence(block.text)}\n`;
    case 'entry':
      return `\n${renderEntry(block.entry, level + 1)}`;
    default:
      return block satisfies never;
  }
}

function renderLine(words: Line): string {
  return words.map(renderSpan).join('');
}

function renderSpan(span: Span): string {
  if (typeof span === 'string') return span;
  return 'time' in span ? formatMoment(span.time) : inCode(span.said);
}

/** Makes a code span whose delimiters are longer than any run of backticks in it. */
function inCode(text: string): string {
  const content = showHidden(text).replace(/\n/g, ' ⏎ ');
  if (content.trim() === '') return '(empty)';
  const ticks = '`'.repeat(longestRun(content) + 1);
  const pad = /^[ `]|[ `]$/.test(content) ? ' ' : '';
  return `${ticks}${pad}${content}${pad}${ticks}`;
}

function fence(text: string): string {
  const content = showHidden(text);
  const ticks = '`'.repeat(Math.max(3, longestRun(content) + 1));
  return `${ticks}text\n${content}\n${ticks}`;
}

function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}

/** Makes a block quote that shows the text verbatim, line by line. */
function quote(text: string): string {
  const lines = showHidden(text).split('\n');
  return lines.map((each, index) => `> ${escapeLine(each)}${breakAfter(each, lines[index + 1])}`.trimEnd()).join('\n');
}

/** Returns a trailing backslash, which breaks the line, except where it would be visible: before an empty line and at the end. */
function breakAfter(each: string, next: string | undefined): string {
  return each.trim() === '' || next === undefined || next.trim() === '' ? '' : '\\';
}

/** Escapes a colon, dot or at sign only where a renderer would turn it into a link. */
const active = /[\\`*_[\]<>&|~$^@]|:(?=\/\/)|(?<=www)\./gi;
const leading = /^[ \t\u00a0]+/;
const opening = /^([#+=:-])|^(\d+)([.)])/;

/** Escapes all markup in a line or at its start; leading white space would make it code. */
function escapeLine(text: string): string {
  const indent = leading.exec(text)?.[0] ?? '';
  const rest = text
    .slice(indent.length)
    .replace(active, '\\$&')
    .replace(opening, (_, mark, number, dot) => (mark ? `\\${mark}` : `${number}\\${dot}`));
  return rest === '' ? '' : indent.replace(/\t/g, '    ').replace(/./g, '&nbsp;') + rest;
}
