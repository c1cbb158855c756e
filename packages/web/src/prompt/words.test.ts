import { by, makeRequest } from '@parleyhq/client/testing';
import { describeResponse, type InteractionResponse } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { describeEnding, fillTemplate } from './receipt-words.ts';
import { headingOf, subjectLine, tellApart } from './words.ts';

const response = (part: Partial<InteractionResponse> = {}): InteractionResponse => ({
  toolCallId: 'c',
  interactionId: 'c.1',
  answerId: 'a',
  action: 'approve',
  by: { ...by, label: 'Phone' },
  ...part,
});

test('[WEB1] a template fills in action, scope, reason, person and inputs; unknown names are empty', () => {
  const answer = response({ approvalScope: 'session', reason: 'fine', input: { name: 'Ada', constructor: 'x' } });
  const template =
    '{{action}} {{scope}} {{reason}} {{by}} {{ input.name }} {{input.toString}}{{constructor}}{{input.}}.';
  expect(fillTemplate(template, answer, (_, value) => String(value))).toBe('approve session fine owner (Phone) Ada .');
});

test('[WEB1] the form describes the values: a secret is dots', () => {
  const answer = response({ input: { pin: { redacted: true } } });
  expect(fillTemplate('PIN {{input.pin}}', answer, () => '••••')).toBe('PIN ••••');
});

test('[WEB3] every answer and every ending is named', () => {
  const request = makeRequest('c.1');
  expect(describeResponse(request, response())).toBe('Allowed once');
  expect(describeResponse(request, response({ approvalScope: 'always' }))).toBe('Always allowed');
  expect(describeResponse(request, response({ action: 'deny' }))).toBe('Denied');
  expect(describeEnding({ toolCallId: 'c', interactionId: 'c.1', reason: 'timeout', replacedBy: 'c.2' })).toBe(
    'Timed out and asked again',
  );
});

test('[SEC5] a heading reveals hidden characters', () => {
  expect(headingOf(makeRequest('c.1', { title: 'pay\u202e001' }))).toBe('pay⟨U+202E⟩001');
  expect(headingOf(makeRequest('c.1'))).toBe('Allow "deploy"?');
});

test('[WEB3, ACP1] a heading is plain text, also of a program that writes Markdown', () => {
  const subject = { kind: 'command', text: 'npm test' } as const;
  expect(headingOf(makeRequest('c.1', { title: 'gemini: `npm test`', subject }))).toBe('gemini: npm test');
});

test('[WEB6] prompts with the same heading are distinguished by what they are about, or by their position', () => {
  const about = (text: string, title = 'Publish?') => makeRequest('c.1', { title, subject: { kind: 'text', text } });
  expect(tellApart([about('one\nmore'), about('two'), about('one', 'Delete?')])).toEqual(['one', 'two', '']);
  expect(tellApart([about('one'), about('one'), about('two')])).toEqual(['1 of 3', '2 of 3', 'two']);
  const change = { kind: 'diff', text: '--- a.ts\n+++ b.ts\n@@' } as const;
  expect(tellApart([about('x'), makeRequest('c.2', { title: 'Publish?', subject: change })])).toEqual(['x', 'b.ts']);
});

test('[WEB6] a row shows a line of the subject, unless the heading says it', () => {
  const about = (text: string, kind: 'command' | 'json' = 'command') =>
    subjectLine(makeRequest('c.1', { title: 'Run `npm test`', subject: { kind, text } }));
  expect(about('npm test')).toBe('');
  expect(about('\nrm -rf build\nls')).toBe('rm -rf build');
  expect(about('{\n  "to": 1\n}', 'json')).toBe('');
  expect(subjectLine(makeRequest('c.1', { title: 'Pay?', url: 'https://pay.test/' }))).toBe('https://pay.test/');
});
