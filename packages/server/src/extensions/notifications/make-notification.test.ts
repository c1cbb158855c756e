import { expect, test } from 'vitest';
import { newsOf, type WaitingPrompt } from './make-notification.ts';

const interaction = { interactionId: 'call.1', interactionType: 'approval' };
const prompt = { sessionId: 's1', sessionTitle: 'Deploy', interaction } as unknown as WaitingPrompt;

test.each([
  ['http://127.0.0.1:7420', 'http://127.0.0.1:7420/s/s1/call.1'],
  ['https://parley.example/', 'https://parley.example/s/s1/call.1'],
  ['https://example.org/parley', 'https://example.org/parley/s/s1/call.1'],
])('[NTF1, WEB6] at %s the link to a prompt is %s', (baseUrl, url) => {
  const options = { target: 'push', count: 1, detail: 'none', baseUrl } as const;
  expect(newsOf([prompt], { id: 'ann' }, options).url).toBe(url);
});

test('[NTF1, ACP1] the title of a prompt is plain text, also of a program that writes Markdown', () => {
  const marked = { ...prompt, interaction: { ...prompt.interaction, title: 'gemini: `npm test`' } };
  const options = { target: 'push', count: 1, detail: 'title', baseUrl: 'http://127.0.0.1:7420' } as const;
  expect(newsOf([marked], { id: 'ann' }, options).title).toBe('gemini: npm test');
});
