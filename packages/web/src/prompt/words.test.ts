import { by, makeRequest } from '@parleyhq/client/testing';
import type { InteractionResponse } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { describeClosing, describeResponse, fillTemplate, headingOf } from './words.ts';

const response = (part: Partial<InteractionResponse> = {}): InteractionResponse => ({
  toolCallId: 'c',
  interactionId: 'c.1',
  answerId: 'a',
  action: 'approve',
  by: { ...by, label: 'Phone' },
  ...part,
});

test('[WEB1] a template names action, scope, reason, who and inputs; what it does not know is empty', () => {
  const answer = response({ approvalScope: 'session', reason: 'fine', input: { name: 'Ada', constructor: 'x' } });
  const template =
    '{{action}} {{scope}} {{reason}} {{by}} {{ input.name }} {{input.toString}}{{constructor}}{{input.}}.';
  expect(fillTemplate(template, answer, (_, value) => String(value))).toBe('approve session fine Phone Ada .');
});

test('[WEB1] values are described by the form: a secret is dots', () => {
  const answer = response({ input: { pin: { redacted: true } } });
  expect(fillTemplate('PIN {{input.pin}}', answer, () => '••••')).toBe('PIN ••••');
});

test('[WEB3] each answer and each ending has its words', () => {
  const request = makeRequest('c.1');
  expect(describeResponse(request, response())).toBe('Allowed once');
  expect(describeResponse(request, response({ approvalScope: 'always' }))).toBe('Always allowed');
  expect(describeResponse(request, response({ action: 'deny' }))).toBe('Denied');
  expect(describeClosing({ toolCallId: 'c', interactionId: 'c.1', reason: 'timeout', replacedBy: 'c.2' })).toBe(
    'Timed out and asked again',
  );
});

test('[SEC5] a heading shows what is hidden in it', () => {
  expect(headingOf(makeRequest('c.1', { title: 'pay\u202e001' }))).toBe('pay⟨U+202E⟩001');
  expect(headingOf(makeRequest('c.1'))).toBe('Allow "deploy"?');
});
