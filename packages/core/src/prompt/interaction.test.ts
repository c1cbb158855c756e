import { describe, expect, test } from 'vitest';
import { approvalDraft, form, inputDraft, requestFrom, urlDraft } from '../../test/support/samples.ts';
import {
  digestText,
  type InteractionSpec,
  interactionSpecSchema,
  offeredScopes,
  readableSubject,
  type Subject,
} from './interaction.ts';
import { interactionRequestSchema } from './interaction-request.ts';

const inputSchema = form([{ id: 'city', type: 'text' }]);

describe('what a tool may ask', () => {
  test.each<[string, InteractionSpec]>([
    ['an approval', { type: 'approval' }],
    ['a form', { type: 'input', inputSchema }],
    ['a consent to open an address', { type: 'url', url: 'https://example.org/x' }],
    ['for ever', { type: 'approval', timeoutMs: null }],
    ['in a slot of its own', { type: 'approval', key: 'confirm' }],
    ['an approval with a form of details', { type: 'approval', inputSchema }],
  ])('[INT16] %s', (_, spec) => {
    expect(interactionSpecSchema.parse(spec)).toEqual(spec);
  });

  test.each<[string, object]>([
    ['without a type', {}],
    ['with an unknown type', { type: 'question' }],
    ['for input without a form', { type: 'input' }],
    ['to open no address', { type: 'url' }],
    ['to open a script', { type: 'url', url: 'javascript:alert(1)' }],
    ['to open a file', { type: 'url', url: 'file:///etc/passwd' }],
    ['to open half an address', { type: 'url', url: 'example.org' }],
    ['for no time', { type: 'approval', timeoutMs: 0 }],
    ['for less than no time', { type: 'approval', timeoutMs: -1 }],
    ['without any scope', { type: 'approval', approvalScopes: [] }],
    ['with an unknown scope', { type: 'approval', approvalScopes: ['ever'] }],
    ['with an unknown presentation', { type: 'approval', presentation: 'popup' }],
    ['with a form that is none', { type: 'input', inputSchema: { type: 'form', fields: [{ id: '1', type: 'text' }] } }],
  ])('[INT16] not %s', (_, spec) => {
    expect(interactionSpecSchema.safeParse(spec).success).toBe(false);
  });

  test.each(['', '1', '42', '$gate', '$x'])('[DUR5] not with the key %j, which is reserved', (key) => {
    expect(interactionSpecSchema.safeParse({ type: 'approval', key }).success).toBe(false);
  });

  test('[INT6] an approval offers once and for the session unless it says otherwise; other prompts offer nothing', () => {
    expect(offeredScopes({ type: 'approval' })).toEqual(['once', 'session']);
    expect(offeredScopes({ type: 'approval', approvalScopes: ['always'] })).toEqual(['always']);
    expect(offeredScopes({ type: 'input', approvalScopes: ['always'] })).toBeUndefined();
  });
});

describe('what a person consents to', () => {
  const spec: InteractionSpec = {
    type: 'approval',
    title: 'Run?',
    prompt: 'Run this',
    subject: { kind: 'command', text: 'ls' },
    url: 'https://example.org',
    inputSchema,
    initialValues: { city: 'Bern' },
    approvalScopes: ['once'],
    editable: false,
  };
  const text = digestText('shell', spec);

  test.each<[string, Partial<InteractionSpec>]>([
    ['type', { type: 'url' }],
    ['title', { title: 'Run it?' }],
    ['prompt', { prompt: 'Run that' }],
    ['subject', { subject: { kind: 'command', text: 'ls ' } }],
    ['url', { url: 'https://example.org/x' }],
    ['inputSchema', { inputSchema: form([{ id: 'city', type: 'text', required: true }]) }],
    ['initialValues', { initialValues: { city: 'Basel' } }],
    ['approvalScopes', { approvalScopes: ['once', 'always'] }],
    ['editable', { editable: true }],
    ['editPath', { editPath: ['command'] }],
    ['rules', { rules: [{ id: 'ls', label: 'Any ls', key: 'ls', scopes: ['session'] }] }],
    ['view', { view: { name: 'map' } }],
    ['actions', { actions: [{ id: 'next', label: 'Next' }] }],
    ['decide', { decide: { approve: 2 } }],
  ])('[DUR5] another %s is another question', (_, parts) => {
    expect(digestText('shell', { ...spec, ...parts })).not.toBe(text);
  });

  test('[DUR5] another tool asks another question', () => {
    expect(digestText('rm', spec)).not.toBe(text);
  });

  test('[DUR5] presentation, timeout and earlier errors are not part of the digest', () => {
    const dressed: InteractionSpec = {
      ...spec,
      key: 'again',
      risk: 'high',
      timeoutMs: 5,
      presentation: 'composer',
      completedView: { showInputs: false },
      onUnavailable: 'wait',
      error: 'Once more.',
      fieldErrors: { city: 'Required.' },
    };
    expect(digestText('shell', dressed)).toBe(text);
  });

  test('[DUR5] the order of members does not matter', () => {
    const reversed = Object.fromEntries(Object.entries(spec).reverse()) as InteractionSpec;
    expect(digestText('shell', reversed)).toBe(text);
  });

  test('[DUR5] the default scopes are the same written out', () => {
    const asked: InteractionSpec = { type: 'approval' };
    expect(digestText('t', asked)).toBe(digestText('t', { ...asked, approvalScopes: ['once', 'session'] }));
  });
});

describe('a stored request', () => {
  test.each([approvalDraft, inputDraft, urlDraft])('[EVT2] $interactionType is read back unchanged', (draft) => {
    const request = requestFrom(draft, { expiresAt: '2026-03-01T09:05:00.000Z' });
    expect(interactionRequestSchema.parse(JSON.parse(JSON.stringify(request)))).toEqual(request);
  });

  test('[EVT2, SEC11] is valid without its form or address, as in an excerpt', () => {
    const excerpts = [requestFrom(inputDraft, { inputSchema: undefined }), requestFrom(urlDraft, { url: undefined })];
    for (const excerpt of excerpts) expect(interactionRequestSchema.safeParse(excerpt).success).toBe(true);
  });

  test.each(['interactionId', 'digest', 'slot', 'attempt', 'source', 'presentation', 'onUnavailable'] as const)(
    '[EVT2] is invalid without %s',
    (member) => {
      expect(interactionRequestSchema.safeParse({ ...requestFrom(approvalDraft), [member]: undefined }).success).toBe(
        false,
      );
    },
  );
});

test('[APR2] a call without arguments has no readable subject', () => {
  const about = (kind: Subject['kind'], text: string) => ({ subject: { kind, text } });
  expect(readableSubject({})).toBeUndefined();
  expect(readableSubject(about('json', '{}'))).toBeUndefined();
  for (const subject of [about('json', '[]'), about('json', '{ "a": 1 }'), about('text', '{}')])
    expect(readableSubject(subject)).toBe(subject.subject);
});
