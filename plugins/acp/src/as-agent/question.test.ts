import type { InteractionRequest, OpenPrompt, Principal } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { type EditorFeatures, toQuestion } from './question.ts';

const shared = {
  toolCallId: 'c1',
  interactionId: 'c1.1',
  slot: '0',
  toolName: 'deploy',
  attempt: 1,
  presentation: 'tool',
  source: { kind: 'tool', name: 'deploy' },
  digest: 'd',
  onUnavailable: 'error',
} as const;
const operator: Principal = { id: 'ann', role: 'operator' };
const responder: Principal = { id: 'bob', role: 'responder' };
const all: EditorFeatures = { hasForms: true, hasAddresses: true };
const none: EditorFeatures = { hasForms: false, hasAddresses: false };
const url = 'http://127.0.0.1:7420/s/s1/c1.1';

interface Case {
  readonly isCut?: boolean;
  readonly features?: EditorFeatures;
  readonly principal?: Principal;
}

function ask(members: object, { isCut = false, features = all, principal = operator }: Case = {}) {
  const request = { ...shared, ...members } as InteractionRequest;
  const prompt = { request, state: 'open', isCut } as OpenPrompt;
  const { method, params, read } = toQuestion(prompt, { sessionId: 's1', principal, features, url });
  const asked = params as { options?: { optionId: string; name: string; kind: string }[]; toolCall?: object };
  const choose = (optionId: string) => read({ outcome: { outcome: 'selected', optionId } });
  return { method, params, read, choose, options: asked.options ?? [] };
}

const approval = { interactionType: 'approval', approvalScopes: ['once', 'session', 'always'] };
const form = (...fields: object[]) => ({ interactionType: 'input', inputSchema: { type: 'form', fields } });
const size = {
  id: 'size',
  type: 'radio',
  required: true,
  options: [
    { value: 's', label: 'Small' },
    { value: 'l', label: 'Large' },
  ],
};

test('[ACP3] an approval offers its scopes, its rules and a no, and each answers just that', () => {
  const rules = [{ id: 'npm', label: '`npm test` with any arguments', key: 'npm', scopes: ['session', 'always'] }];
  const { method, options, choose } = ask({ ...approval, rules });
  expect(method).toBe('session/request_permission');
  expect(options.map(({ name, kind }) => `${kind}: ${name}`)).toEqual([
    'allow_once: Allow once',
    'allow_always: Allow for session',
    'allow_always: Always allow',
    'allow_always: Allow for session: `npm test` with any arguments',
    'allow_always: Always allow: `npm test` with any arguments',
    'reject_once: Deny',
  ]);
  expect(options.map(({ optionId }) => choose(optionId))).toEqual([
    { action: 'approve', approvalScope: 'once' },
    { action: 'approve', approvalScope: 'session' },
    { action: 'approve', approvalScope: 'always' },
    { action: 'approve', approvalScope: 'session', ruleId: 'npm' },
    { action: 'approve', approvalScope: 'always', ruleId: 'npm' },
    { action: 'deny' },
  ]);
});

test('[ACP3, SEC4] “always” is offered to operators alone', () => {
  const { options, choose } = ask(approval, { principal: responder });
  expect(options.map(({ optionId }) => optionId)).toEqual(['once', 'session', 'deny']);
  expect(choose('always')).toBeUndefined();
});

test.each([
  undefined,
  null,
  'once',
  { outcome: 'selected', optionId: 'once' },
  { outcome: { outcome: 'cancelled' } },
  { outcome: { outcome: 'cancelled', optionId: 'once' } },
  { outcome: { outcome: 'selected' } },
  { outcome: { outcome: 'selected', optionId: 'Allow once' } },
  { outcome: { outcome: 'selected', optionId: ['once'] } },
])('[ACP3] %j answers nothing', (result) => {
  expect(ask(approval).read(result)).toBeUndefined();
});

test.each<[string, object, Case?]>([
  ['several votes', { ...approval, decide: { approve: 2 } }],
  ['a no of several', { ...approval, decide: { approve: 1, deny: 2 } }],
  ['a reason', { ...approval, reasonRequired: ['deny'] }],
  ['a secret', form({ id: 'key', type: 'secret' })],
  ['a file', form({ id: 'cv', type: 'file' })],
  ['a condition', form({ id: 'a', type: 'checkbox' }, { id: 'b', type: 'text', when: { field: 'a', equals: true } })],
  ['buttons', { ...form({ id: 'a', type: 'text' }), actions: [{ id: 'later', label: 'Later' }] }],
  ['a form without forms', form({ id: 'a', type: 'text' }), { features: none }],
  ['a choice with a text of one’s own', form({ ...size, other: true }), { features: none }],
  ['an address without addresses', { interactionType: 'url', url: 'https://example.org' }, { features: none }],
  ['a part of a large form', form(size), { isCut: true }],
])('[ACP3] %s is answered on the page: the only option answers nothing', (_, members, more) => {
  const { options, choose, params } = ask(members, more);
  expect(options.map(({ name, kind }) => `${kind}: ${name}`)).toEqual(['reject_once: Open in Parley']);
  expect(choose('open')).toBeUndefined();
  expect(JSON.stringify(params)).toContain(url);
});

test.each<[string, object, Case?]>([
  ['details in a form', { ...approval, inputSchema: { type: 'form', fields: [] } }],
  ['a view', { ...approval, view: { name: 'x', digest: 'y' } }],
  ['a part of a large subject', approval, { isCut: true }],
])('[ACP3] an approval with %s can be denied, and is allowed on the page', (_, members, more) => {
  const { options, choose, params } = ask(members, more);
  expect(options.map(({ name, kind }) => `${kind}: ${name}`)).toEqual(['reject_once: Deny']);
  expect(choose('deny')).toEqual({ action: 'deny' });
  expect(choose('once')).toBeUndefined();
  expect(JSON.stringify(params)).toContain(url);
});

test('[ACP3] without forms a single choice is its options; whoever answers by kind, or with the first one, cancels', () => {
  const { options, choose } = ask(form(size), { features: none });
  expect(options.map(({ name, kind }) => `${kind}: ${name}`)).toEqual([
    'reject_once: Cancel',
    'reject_once: Small',
    'reject_once: Large',
  ]);
  expect(choose('choice:2')).toEqual({ action: 'submit', input: { size: 'l' } });
  expect(choose('cancel')).toEqual({ action: 'cancel' });
});

test('[ACP3] with forms a single choice is an elicitation, which no setting of an editor answers', () => {
  const { method, params, read } = ask(form(size));
  expect(method).toBe('elicitation/create');
  expect(params).toMatchObject({ requestedSchema: { required: ['size'] } });
  expect(read({ action: 'accept', content: { size: 'l' } })).toEqual({ action: 'submit', input: { size: 'l' } });
  expect(read({ action: 'cancel' })).toBeUndefined();
});

test('[ACP3] a form is an elicitation: yes submits, no cancels, and nobody’s choice answers nothing', () => {
  const { method, read } = ask(form({ id: 'name', type: 'text', required: true }, { id: 'n', type: 'number' }));
  expect(method).toBe('elicitation/create');
  const content = { name: 'Ann', n: 2, more: 'x' };
  expect(read({ action: 'accept', content })).toEqual({ action: 'submit', input: { name: 'Ann', n: 2 } });
  expect(read({ action: 'accept' })).toEqual({ action: 'submit', input: {} });
  expect(read({ action: 'decline' })).toEqual({ action: 'cancel' });
  for (const result of [{ action: 'cancel' }, { action: 'yes' }, {}, 7]) expect(read(result)).toBeUndefined();
});

test('[ACP3] consent to an address is an elicitation, too', () => {
  const { params, read } = ask({ interactionType: 'url', url: 'https://example.org/x' });
  expect(params).toMatchObject({ mode: 'url', url: 'https://example.org/x', elicitationId: 'c1.1' });
  expect([read({ action: 'accept' }), read({ action: 'decline' }), read({ action: 'cancel' })]).toEqual([
    { action: 'approve' },
    { action: 'deny' },
    undefined,
  ]);
});

test('[ACP3, SEC5] the whole subject is in the question, and hidden characters are visible', () => {
  const text = `${'x'.repeat(60_000)}\u202Eevil`;
  const asked = JSON.stringify(
    ask({ ...approval, title: 'Run\u200b?', subject: { kind: 'command', text }, risk: 'high' }).params,
  );
  expect(asked).toContain('x'.repeat(60_000));
  expect(asked).toContain('⟨U+202E⟩evil');
  expect(asked).toContain('Run⟨U+200B⟩?');
  expect(asked).toContain('Risk: high');
});

test('[SIGN2] what demands a passkey is answered at its card, except with a no', () => {
  const { options, params } = ask({ ...approval, stepUp: true });
  expect(options.map(({ optionId }) => optionId)).toEqual(['deny']);
  expect(JSON.stringify(params)).toContain(`the request for your passkey. To allow it, open ${url}`);
  expect(ask({ ...form(size), stepUp: true }).options.map(({ optionId }) => optionId)).toEqual(['open']);
});
