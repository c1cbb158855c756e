import { showHidden } from '@parleyhq/core';
import { html, nothing, type TemplateResult } from 'lit';
import type { Token, Tokens } from 'marked';
import { lexBounded } from './bounded-lexer.ts';
import './code-block.ts';

type Content = TemplateResult | string | typeof nothing;

/**
 * Renders a model's Markdown. Tokens become templates and text stays text: what a model wrote is never parsed as HTML, there are
 * no images, and only http, https and mailto addresses become links (SEC5).
 */
export function renderMarkdown(text: string): readonly Content[] {
  const tokens = lexBounded(text);
  return tokens ? renderBlocks(tokens) : [html`<div class="plain">${showHidden(text)}</div>`];
}

const renderBlocks = (tokens: readonly Token[]): readonly Content[] => tokens.map((token) => renderBlock(token));

function renderBlock(token: Token): Content {
  switch (token.type) {
    case 'space':
      return nothing;
    case 'hr':
      return html`<hr />`;
    case 'code':
      return renderCode(token as Tokens.Code);
    case 'heading':
      return renderHeading(token as Tokens.Heading);
    case 'blockquote':
      return html`<blockquote>${renderBlocks((token as Tokens.Blockquote).tokens)}</blockquote>`;
    case 'list':
      return renderList(token as Tokens.List);
    case 'table':
      return renderTable(token as Tokens.Table);
    case 'paragraph':
      return html`<p>${renderInline((token as Tokens.Paragraph).tokens)}</p>`;
    case 'text':
    case 'checkbox':
      return renderText(token as Tokens.Text);
    default:
      return html`<p>${showHidden(token.raw)}</p>`; // raw HTML, definitions and unknown tokens are shown verbatim
  }
}

/** Renders a block of code. Words after the name of the language are for other programs. */
function renderCode({ text, lang = '' }: Tokens.Code): TemplateResult {
  const [language = ''] = lang.split(/\s/);
  return html`<parley-code .text=${text} .language=${language}></parley-code>`;
}

/**
 * Renders a heading. All have the same level, below the page's own: models skip levels, which would confuse assistive technology.
 */
function renderHeading({ depth, tokens }: Tokens.Heading): TemplateResult {
  return html`<div role="heading" class="h${depth}" aria-level="2">${renderInline(tokens)}</div>`;
}

function renderList({ ordered, start, items }: Tokens.List): TemplateResult {
  const rows = items.map((item) => {
    const mark = item.task ? (item.checked ? '☑ ' : '☐ ') : '';
    return html`<li>${mark}${renderBlocks(item.tokens.filter(({ type }) => type !== 'checkbox'))}</li>`;
  });
  return ordered ? html`<ol start=${start || 1}>${rows}</ol>` : html`<ul>${rows}</ul>`;
}

function renderTable({ header, rows }: Tokens.Table): TemplateResult {
  return html`<div class="table" tabindex="0"><table>
    <thead><tr>${header.map((cell) => html`<th>${renderInline(cell.tokens)}</th>`)}</tr></thead>
    <tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${renderInline(cell.tokens)}</td>`)}</tr>`)}</tbody>
  </table></div>`;
}

const renderInline = (tokens: readonly Token[] = []): readonly Content[] => tokens.map((token) => renderSpan(token));

function renderSpan(token: Token): Content {
  switch (token.type) {
    case 'strong':
      return html`<strong>${renderInline(token.tokens)}</strong>`;
    case 'em':
      return html`<em>${renderInline(token.tokens)}</em>`;
    case 'del':
      return html`<del>${renderInline(token.tokens)}</del>`;
    case 'codespan':
      return html`<code>${showHidden((token as Tokens.Codespan).text)}</code>`;
    case 'br':
      return html`<br />`;
    case 'link':
      return renderLink(token as Tokens.Link);
    case 'text':
    case 'escape':
      return renderText(token as Tokens.Text);
    default:
      return showHidden(token.raw); // includes images and raw HTML
  }
}

function renderText({ text, tokens }: Tokens.Text): Content {
  return tokens ? html`${renderInline(tokens)}` : showHidden(decode(text));
}

/** Renders a link, always with the address that it leads to, whatever its text says. */
function renderLink({ href, tokens }: Tokens.Link): Content {
  const isSafe = URL.canParse(href) && /^(https?|mailto):$/.test(new URL(href).protocol);
  if (!isSafe) return html`${renderInline(tokens)} (${showHidden(href)})`;
  const link = html`<a href=${href} target="_blank" rel="noopener noreferrer">${renderInline(tokens)}</a>`;
  const { protocol, host, pathname } = new URL(href);
  const bare = (address: string) => address.replace(/^(https?:\/\/|mailto:)/, '');
  const isPlain = bare(href) === bare(tokens.map(({ raw }) => raw).join(''));
  return isPlain ? link : html`${link} (${showHidden(protocol === 'mailto:' ? pathname : host)})`;
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", nbsp: ' ' };

/** Decodes the few entities that models write. The result is still rendered as text. */
const decode = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (_, name: string) => entities[name] ?? '');
