import { showHidden } from '../basics/visible-text.ts';
import { htmlStyle, htmlStyleHash } from './html-style.ts';
import { type Block, type Entry, formatMoment, type Line, type Span } from './line.ts';
import type { Transcript } from './transcript.ts';

/**
 * Allows no scripts, addresses or forms, and only this style sheet, so that even markup that slipped through would be harmless.
 */
const policy = `default-src 'none'; style-src 'sha256-${htmlStyleHash}'; base-uri 'none'; form-action 'none'`;

/**
 * Renders the transcript as one self-contained HTML file, in chunks. Texts of people, agents and tools are escaped, isolated from
 * the direction of the surrounding text, and shown in boxes that never contain Parley's own words.
 */
export function* renderHtml({ title, facts, entries }: Transcript): Iterable<string> {
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="Parley">
<title>Transcript: ${escapeText(title)}</title>
<style>${htmlStyle}</style>
</head>
<body>
<main>
<header>
<p class="kind">Parley transcript</p>
<h1><bdi>${escapeText(title)}</bdi></h1>
<ul class="facts">${facts.map((each) => `<li>${renderLine(each)}</li>`).join('')}</ul>
</header>
`;
  for (const entry of entries) yield renderEntry(entry, 2);
  yield '</main>\n</body>\n</html>\n';
}

function renderEntry({ tone, heading, timestamp, seq, blocks }: Entry, level: 2 | 3): string {
  return `<section class="entry ${tone}" id="event-${seq}">
<div class="head"><h${level}>${renderLine(heading)}</h${level}> <p class="when">${renderTime(timestamp)} · event ${seq}</p></div>
${blocks.map((block, index) => renderBlock(block, blocks[index - 1], blocks[index + 1])).join('')}</section>
`;
}

function renderBlock(block: Block, before: Block | undefined, after: Block | undefined): string {
  switch (block.kind) {
    case 'fact': {
      const item = `<li>${renderLine(block.line)}</li>`;
      const [begin, end] = block.isTrace
        ? ['<details class="facts"><summary>Ids</summary><ul>', '</ul></details>\n']
        : ['<ul class="facts">', '</ul>\n'];
      return `${isLike(block, before) ? '' : begin}${item}${isLike(block, after) ? '' : end}`;
    }
    case 'outcome':
      return `<p class="outcome"><strong>${escapeText(block.mark)}</strong>${renderLine(block.line)}</p>\n`;
    case 'prose':
      return `${block.label ? renderLabel(block.label) : ''}<blockquote class="prose" dir="auto">${escapeText(block.text)}</blockquote>\n`;
    case 'code':
      return `${renderLabel(block.label)}<pre dir="ltr"><code>${escapeText(block.text)}</code></pre>\n`;
    case 'entry':
      return renderEntry(block.entry, 3);
    default:
      return block satisfies never;
  }
}

function isLike(block: Block, other: Block | undefined): boolean {
  return block.kind === 'fact' && other?.kind === 'fact' && block.isTrace === other.isTrace;
}

function renderLabel(label: Line): string {
  return `<p class="label">${renderLine(label)}</p>\n`;
}

function renderLine(words: Line): string {
  return words.map(renderSpan).join('');
}

function renderSpan(span: Span): string {
  if (typeof span === 'string') return escapeText(span);
  if ('time' in span) return renderTime(span.time);
  return span.said.trim() === '' ? '(empty)' : `<bdi class="said">${escapeText(span.said)}</bdi>`;
}

function renderTime(timestamp: string): string {
  return `<time datetime="${escapeText(timestamp)}">${escapeText(formatMoment(timestamp))}</time>`;
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escapeText(text: string): string {
  return showHidden(text).replace(/[&<>"']/g, (mark) => entities[mark] ?? '');
}
