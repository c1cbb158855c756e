import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { ChatEvent } from '../log/event.ts';
import { htmlStyle, htmlStyleHash } from './html-style.ts';
import { makeTranscript, renderHtml, renderMarkdown } from './index.ts';

const folder = new URL('../../test/golden/', import.meta.url);
const lines = readFileSync(new URL('v1.jsonl', folder), 'utf8').trimEnd().split('\n');
const log: ChatEvent[] = lines.map((text) => JSON.parse(text));
const session = { id: 'session', title: 'Trip to Bern', createdAt: '2026-03-01T09:00:00.000Z' };
const transcript = makeTranscript(session, log, '2026-03-02T10:00:00.000Z');
const markdown = [...renderMarkdown(transcript)].join('');
const html = [...renderHtml(transcript)].join('');

/** Updated with `vitest -u`; review the difference before committing it. */
test('[RPL5] the log of the first release as Markdown and as HTML', async () => {
  await expect(markdown).toMatchFileSnapshot('../../test/golden/v1.md');
  await expect(html).toMatchFileSnapshot('../../test/golden/v1.html');
});

test.each([
  ['Markdown', markdown],
  ['HTML', html],
])('[RPL5] in %s every event that is not part of another is shown, in order', (_, text) => {
  const places = [...text.matchAll(/ · event (\d+)/g)].map(([, seq]) => Number(seq));
  const inOrder =
    /^(user_message|turn_\w+|assistant_done|thinking_done|tool_call|interaction_request|session_changed|error)$/;
  const expected = log.filter(({ type }) => inOrder.test(type)).map(({ seq }) => seq);
  expect(places).toEqual(expect.arrayContaining(expected));
  expect(new Set(places).size).toBe(places.length);
  const ofCall = (seq: number) => (isPrompt(seq) ? (log[seq - 1]!.payload as { toolCallId: string }).toolCallId : '');
  for (const call of new Set(places.map(ofCall))) {
    const own = places.filter((seq) => ofCall(seq) === call);
    expect(own).toEqual([...own].sort((a, b) => a - b));
  }
});

const isPrompt = (seq: number) => log[seq - 1]?.type === 'interaction_request';

test.each([
  ['Markdown', markdown.replace(/[*`]/g, '')],
  ['HTML', html.replace(/<[^>]*>/g, '').replaceAll('&quot;', '"')],
])('[RPL5] in %s attempts, outcomes, scopes, actors and times are in words', (_, text) => {
  for (const words of [
    'Question, attempt 2',
    'Asked again: replaces call-a.1',
    'No such city.',
    'Submitted, by owner, from Phone (client phone) over ws, 2026-03-01 09:00:09 UTC',
    'Answered, PIN: redacted (a secret)',
    'Timed out, 2026-03-01 09:05:03 UTC',
    'Left pending: its tool went on without the answer',
    'Allowed for this session, late, by owner, from tab over ws, 2026-03-01 09:05:06 UTC; in its place at event 26',
    'Late answer to prompt call-b.1',
    'Offered: once, for this session',
    'Arguments, as they were changed:'.slice(0, -1),
    'Late answer, sent on as a message',
    'Timed out: nobody answered in time, 2026-03-01 09:10:07 UTC',
    'Cancelled: no longer needed',
    'Denied, late',
    'Not settled when this was exported',
    'Taken back before it was sent',
    'Changed while it waited, at 2026-03-01 09:00:07 UTC',
    'Still waited to be sent when this was exported',
    'Agent demo, thinking',
    'Agent demo, interrupted',
    'Error stream_restarted',
    'Turn taken up again after a stop of the server',
    'Turn ends: cancelled',
    'Failed with cancelled',
    'Event weather_changed, of another release',
    '"paths": [',
    'Risk: high',
  ]) {
    expect(text).toContain(words);
  }
});

test("[RPL5] the content policy allows only the file's own style", () => {
  expect(createHash('sha256').update(htmlStyle).digest('base64')).toBe(htmlStyleHash);
  expect(html).toContain(
    `default-src 'none'; style-src 'sha256-${htmlStyleHash}'; base-uri 'none'; form-action 'none'`,
  );
  expect(
    html.match(
      /<(?!\/?(?:html|head|meta|title|style|body|main|header|section|div|h[1-3]|p|ul|li|bdi|time|strong|details|summary|blockquote|pre|code)\b)[^>]*>/g,
    ),
  ).toEqual(['<!doctype html>']);
  expect(html).not.toMatch(/\s(?:style|src|href|on\w+)=/);
});
