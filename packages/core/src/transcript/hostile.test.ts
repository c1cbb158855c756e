import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { hostileText, hostileTexts, speakThrough } from '../../test/support/hostile.ts';
import { showHidden } from '../basics/visible-text.ts';
import type { ChatEvent } from '../log/event.ts';
import { makeTranscript, renderHtml, renderMarkdown } from './index.ts';

const folder = new URL('../../test/golden/', import.meta.url);
const readLog = (name: string): ChatEvent[] =>
  readFileSync(new URL(name, folder), 'utf8')
    .trimEnd()
    .split('\n')
    .map((text) => JSON.parse(text));

const file = { fileId: 'f', name: 'screen.png', mediaType: 'image/png', size: 9, sha256: '0' };
const remark = { lines: [1, 2], side: 'new', quote: '+ a\n+ b', comment: 'Why?', replacement: '+ c' };
const said = { annotations: [remark], files: [file] };
/** The first release, then a discussion, each answer and message with all that it can have. */
const log = [...readLog('v1.jsonl'), ...readLog('comments.jsonl')].map((event, at) => {
  const added = event.type === 'interaction_response' ? said : event.type === 'user_message' ? { files: [file] } : {};
  return { ...event, seq: at + 1, payload: { ...event.payload, ...added } } as ChatEvent;
});
const exportedAt = '2026-03-02T10:00:00.000Z';

function transcriptOf(text: string) {
  return makeTranscript({ id: text, title: text, createdAt: exportedAt }, speakThrough(log, text), exportedAt);
}

const htmlOf = (text: string) => [...renderHtml(transcriptOf(text))].join('');

/** The whole file without the texts of others. */
function frameOf(html: string): string {
  return html.replace(/(<(bdi|blockquote|code|title)\b[^>]*>)([\s\S]*?)(<\/\2>)/g, '$1$4');
}

const plain = frameOf(htmlOf('x'));

function assertKept(text: string): void {
  const html = htmlOf(text);
  expect(frameOf(html)).toBe(plain);
  for (const [, , inner = ''] of html.matchAll(/<(bdi|blockquote|code|title)\b[^>]*>([\s\S]*?)<\/\1>/g)) {
    expect(inner).not.toMatch(/[<>"']|&(?!(?:amp|lt|gt|quot|#39);)/);
    expect(inner).toBe(showHidden(inner));
  }
}

test.each(hostileTexts.filter((text) => text.trim() !== ''))(
  '[RPL5, SEC5] HTML: %j is shown and does not affect anything around it',
  (text) => {
    assertKept(text);
    const shown = showHidden(text)
      .replace(/&/g, '&amp;')
      .replace(/</g, '&lt;')
      .replace(/>/g, '&gt;')
      .replace(/"/g, '&quot;')
      .replace(/'/g, '&#39;');
    expect(htmlOf(text)).toContain(`<blockquote class="prose" dir="auto">${shown}</blockquote>`);
  },
);

test('[RPL5, SEC5] HTML: no text can change or imitate Parley’s own words', () => {
  void fc.assert(fc.property(hostileText, assertKept), { numRuns: 150 });
});

test('[RPL5, SEC5] Markdown: no text can start a line with Parley’s own marks', () => {
  const own = (text: string) => {
    const markdown = [...renderMarkdown(transcriptOf(text))].join('');
    const unfenced = markdown.replace(/^(`{3,})text\n[\s\S]*?\n\1$/gm, '');
    return unfenced
      .split('\n')
      .filter((line) => /^(?!>)./.test(line))
      .map((line) => line.replace(/(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)/g, '`'));
  };
  const expected = own('x');
  void fc.assert(
    fc.property(hostileText, (text) => {
      expect(own(text)).toEqual(expected);
    }),
    { numRuns: 150 },
  );
});

test('[RPL5, INT17] a secret is not written even if the log contains one', () => {
  const leaky = JSON.parse(JSON.stringify(log).replaceAll('{"redacted":true}', '"hunter2"')) as ChatEvent[];
  expect(JSON.stringify(leaky)).toContain('hunter2');
  const transcript = makeTranscript({ id: 's', title: 't', createdAt: exportedAt }, leaky, exportedAt);
  for (const text of [[...renderHtml(transcript)].join(''), [...renderMarkdown(transcript)].join('')]) {
    expect(text).toContain('redacted (a secret)');
    expect(text).not.toContain('hunter2');
  }
});

test('[RPL5] a page of a log, an empty log and an invalid timestamp are exported, too', () => {
  const page = makeTranscript({ id: 's', title: '', createdAt: 'soon' }, log.slice(8, 30), exportedAt);
  const none = makeTranscript({ id: 's', title: '', createdAt: exportedAt }, [], exportedAt);
  expect([...renderMarkdown(page)].join('')).toMatch(/^# Transcript: \(empty\)\n\n- Session `s`, begun at soon/);
  expect([...renderHtml(page)].join('')).toContain('Submitted');
  expect([...renderMarkdown(none)].join('')).toContain('0 events; exported at 2026-03-02 10:00:00 UTC');
});

test('[RPL5, EVT5] unknown values of a later release are shown verbatim', () => {
  const words = /"(action|reason|interactionType|trigger|status|kind|approvalScope|by)":"\w+"/g;
  const later = JSON.parse(JSON.stringify(log).replace(words, '"$1":"novel"')) as ChatEvent[];
  const transcript = makeTranscript({ id: 's', title: 't', createdAt: exportedAt }, later, exportedAt);
  expect([...renderMarkdown(transcript)].join('')).toContain('### novel, attempt 2');
  expect([...renderHtml(transcript)].join('')).toContain('<strong>novel</strong>');
});
