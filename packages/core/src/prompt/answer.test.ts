import { describe, expect, test } from 'vitest';
import { actor, approvalDraft, form, inputDraft, matches, requestFrom, urlDraft } from '../../test/support/samples.ts';
import type { FormValues } from '../form/field.ts';
import { type Answer, checkAnswer, completeAnswer, describeAnswer } from './answer.ts';
import type { Action, InteractionResponse, InteractionType } from './interaction.ts';
import { defaultPrompt } from './interaction.ts';
import type { InteractionRequest } from './interaction-request.ts';

const approval = requestFrom(approvalDraft);
const input = requestFrom(inputDraft);
const url = requestFrom(urlDraft);
const requests: Record<InteractionType, InteractionRequest> = { approval, input, url };

function faultsOf(request: InteractionRequest, answer: Answer) {
  return checkAnswer(request, answer, matches);
}

describe('an answer', () => {
  const inputOf = (action: Action) => (action === 'submit' ? { input: { city: 'Bern' } } : {});

  test.each<[InteractionType, Action, boolean]>([
    ['approval', 'approve', true],
    ['approval', 'deny', true],
    ['approval', 'cancel', true],
    ['approval', 'submit', false],
    ['input', 'submit', true],
    ['input', 'cancel', true],
    ['input', 'approve', false],
    ['input', 'deny', false],
    ['url', 'approve', true],
    ['url', 'deny', true],
    ['url', 'cancel', true],
    ['url', 'submit', false],
  ])('[INT6] to %s, %s: %j', (type, action, isFitting) => {
    const faults = faultsOf(requests[type], { action, ...inputOf(action) });
    const others = type === 'input' ? 'submit, cancel' : 'approve, deny, cancel';
    const fault = { action: `"${action}" does not answer this prompt. What does: ${others}.` };
    expect(faults).toEqual(isFitting ? undefined : fault);
  });

  test('[SEC6] a value or a reason is at most 64 KiB of text, counted in bytes', () => {
    const said = (city: string) => faultsOf(input, { action: 'submit', input: { city } });
    expect(said('x'.repeat(65_536))).toBeUndefined();
    expect(said('x'.repeat(65_537))).toEqual({ city: 'Must be at most 64 KiB.' });
    expect(said('€'.repeat(21_846))).toEqual({ city: 'Must be at most 64 KiB.' });
    const reason = 'x'.repeat(65_537);
    expect(faultsOf(approval, { action: 'deny', reason })).toEqual({ reason: 'Must be at most 64 KiB.' });
  });

  test.each<[string, InteractionRequest, Answer, boolean]>([
    ['an omitted scope', approval, { action: 'approve' }, true],
    ['an offered scope', approval, { action: 'approve', approvalScope: 'session' }, true],
    ['a scope not offered', approval, { action: 'approve', approvalScope: 'always' }, false],
    ['once, when it was not offered', approvalOffering('always'), { action: 'approve', approvalScope: 'once' }, false],
    [
      'an omitted scope, which means once whatever was offered',
      approvalOffering('always'),
      { action: 'approve' },
      true,
    ],
    [
      'another scope, when no scopes are named',
      approvalOffering(),
      { action: 'approve', approvalScope: 'session' },
      false,
    ],
    ['a scope of a denial', approval, { action: 'deny', approvalScope: 'session' }, false],
    ['a scope of a consent to open', url, { action: 'approve', approvalScope: 'once' }, false],
  ])('[INT6] %s', (_, request, answer, isFitting) => {
    const faults = faultsOf(request, answer);
    const said = expect.stringContaining(`"${answer.approvalScope}" was not offered.`);
    expect(faults).toEqual(isFitting ? undefined : { approvalScope: said });
  });

  const rule = { id: 'folder', label: 'all of it', key: 'k', scopes: ['session' as const] };
  test.each<[InteractionRequest, Answer, string]>([
    [approvalOffering('once', 'always'), { action: 'approve', approvalScope: 'session' }, ' What was: once, always.'],
    [approval, { action: 'deny', approvalScope: 'session' }, ''],
    [{ ...approval, rules: [rule] }, { action: 'approve', ruleId: 'all' }, ' What was: folder.'],
    [{ ...approval, rules: [rule] }, { action: 'deny', ruleId: 'folder' }, ''],
    [approval, { action: 'approve', ruleId: 'all' }, ''],
  ])('[INT6, APR7] what was not offered is refused with what was: %#', (request, answer, what) => {
    const given = answer.ruleId ?? answer.approvalScope;
    expect(Object.values(faultsOf(request, answer) ?? {})).toEqual([`"${given}" was not offered.${what}`]);
  });

  test('[APR7] a rule with another scope is refused with its own', () => {
    const faults = faultsOf(
      { ...approval, rules: [rule] },
      { action: 'approve', ruleId: 'folder', approvalScope: 'once' },
    );
    expect(faults).toEqual({ approvalScope: '"once" was not offered for this rule. What was: session.' });
  });

  test.each<[string, InteractionRequest, Answer, boolean]>([
    ['approved', { ...approval, editable: true }, { action: 'approve', editedArgs: { path: '/tmp' } }, true],
    ['approved as null', { ...approval, editable: true }, { action: 'approve', editedArgs: null }, true],
    ['denied', { ...approval, editable: true }, { action: 'deny', editedArgs: {} }, false],
    ['not editable', approval, { action: 'approve', editedArgs: {} }, false],
    ['said not to be editable', { ...approval, editable: false }, { action: 'approve', editedArgs: {} }, false],
  ])('[INT6] edited arguments, %s: %#', (_, request, answer, isFitting) => {
    expect(faultsOf(request, answer)).toEqual(
      isFitting ? undefined : { editedArgs: 'The arguments cannot be edited here.' },
    );
  });

  test('[INT6] each field of a submitted form is checked', () => {
    const faults = faultsOf(input, { action: 'submit', input: { nights: 0, nope: 1 } });
    expect(faults).toEqual({ city: 'Required.', nights: 'Must be at least 1.', nope: 'Unknown field.' });
  });

  test('[INT6] a form submitted without input is an empty form', () => {
    expect(faultsOf(input, { action: 'submit' })).toEqual({ city: 'Required.' });
  });

  test.each<[InteractionRequest, Action]>([
    [approval, 'approve'],
    [approval, 'deny'],
    [url, 'approve'],
    [input, 'cancel'],
  ])('[INT6] only a form takes input: %#', (request, action) => {
    expect(faultsOf(request, { action, input: {} })).toEqual({ input: `"${action}" takes no input.` });
  });
});

describe('a checkbox that an answer leaves out', () => {
  const boxes = requestFrom({
    ...inputDraft,
    inputSchema: form(
      [
        { id: 'news', type: 'checkbox' },
        { id: 'why', type: 'text', when: { field: 'news', equals: false } },
        { id: 'often', type: 'checkbox', when: { field: 'news', equals: true } },
        { id: 'street', type: 'text', required: true },
        { id: 'garden', type: 'checkbox' },
      ],
      { sections: [{ id: 'place', optional: true, fields: ['street', 'garden'] }] },
    ),
  });
  const inputOf = (input: FormValues) => completeAnswer(boxes, { action: 'submit', input }).input;

  test.each<[FormValues, FormValues]>([
    [{}, { news: false }],
    [{ news: true }, { news: true, often: false }],
    [{ news: false, garden: false }, { news: false }],
    [{ street: 'Long Lane' }, { news: false, street: 'Long Lane', garden: false }],
    [{ why: 'No time.' }, { why: 'No time.', news: false }],
  ])('[INT16] is false, whichever client sent it: %j', (given, filled) => {
    expect(faultsOf(boxes, { action: 'submit', input: given })).toBeUndefined();
    expect(inputOf(given)).toEqual(filled);
  });

  test('[INT16] must be ticked if it is required', () => {
    const request = requestFrom({ ...inputDraft, inputSchema: form([{ id: 'ok', type: 'checkbox', required: true }]) });
    expect(faultsOf(request, { action: 'submit' })).toEqual({ ok: 'Must be ticked.' });
  });

  test('[PLG11] stays absent if a custom button was pressed', () => {
    const request = { ...boxes, actions: [{ id: 'back', label: 'Back', keepsInput: true as const }] };
    expect(completeAnswer(request, { action: 'submit', button: 'back', input: {} }).input).toEqual({});
  });
});

describe('an answer as text', () => {
  const respond = (request: InteractionRequest, parts: Partial<InteractionResponse>): InteractionResponse => ({
    toolCallId: request.toolCallId,
    interactionId: request.interactionId,
    answerId: 'answer',
    action: 'submit',
    by: actor(),
    ...parts,
  });

  test('[INT9] is the prompt and each label with its value, in the order of the form', () => {
    const trip: InteractionRequest = {
      ...input,
      title: 'Trip',
      prompt: 'Where shall we go?',
      inputSchema: form([
        { id: 'city', type: 'text', label: 'City' },
        { id: 'class', type: 'radio', header: 'Class', options: [{ value: '1', label: 'First' }] },
        { id: 'meals', type: 'multiselect', other: true, options: [{ value: 'v', label: 'Vegan' }] },
        { id: 'window', type: 'checkbox', label: 'Window seat' },
        { id: 'note', type: 'text' },
        { id: 'pin', type: 'secret', label: 'PIN' },
      ]),
    };
    const values = {
      pin: { redacted: true },
      window: false,
      meals: ['v', { other: 'Soup' }],
      class: '1',
      city: 'Bern',
    };
    expect(describeAnswer(trip, respond(trip, { input: values }))).toBe(
      'Where shall we go?\nCity: Bern\nClass: First\nmeals: Vegan, Soup\nWindow seat: no\nPIN: ••••',
    );
  });

  test('[INT9] does not mention a hidden field', () => {
    const request: InteractionRequest = {
      ...input,
      inputSchema: form([
        { id: 'ship', type: 'checkbox', label: 'Ship' },
        { id: 'street', type: 'text', when: { field: 'ship', equals: true } },
      ]),
    };
    const words = describeAnswer(request, respond(request, { input: { ship: false, street: 'x' } }));
    expect(words).toBe('Where to?\nShip: no');
  });

  test.each<[string, InteractionRequest, Partial<InteractionResponse>, string]>([
    ['an approval', { ...approval, title: 'Delete?' }, { action: 'approve' }, 'Delete?\nAllowed'],
    ['a denial with its reason', approval, { action: 'deny', reason: 'too soon' }, 'Allow "tool"?\nDenied: too soon'],
    ['a consent to open', url, { action: 'approve' }, 'tool asks\nAllowed'],
    ['a form without a form', { ...url, url: undefined, interactionType: 'input' }, { action: 'submit' }, 'tool asks'],
    ['a form without values', input, { action: 'submit' }, 'Where to?'],
    ['a cancel', input, { action: 'cancel' }, 'Where to?\nCancelled'],
  ])('[INT9] %s', (_, request, parts, words) => {
    expect(describeAnswer(request, respond(request, parts))).toBe(words);
  });

  test('[WEB3] an approval without a text asks to allow its tool', () => {
    expect(defaultPrompt({ toolName: 'shell', interactionType: 'approval' })).toBe('Allow "shell"?');
  });
});

function approvalOffering(...approvalScopes: NonNullable<InteractionRequest['approvalScopes']>): InteractionRequest {
  const { approvalScopes: _, ...rest } = approval;
  return approvalScopes.length > 0 ? { ...rest, approvalScopes } : rest;
}

describe('the two encodings of accents', () => {
  const [composed, apart] = ['café'.normalize('NFC'), 'café'.normalize('NFD')];
  const request = requestFrom({
    ...inputDraft,
    inputSchema: form([
      { id: 'place', type: 'select', options: [{ value: composed, label: 'A' }] },
      { id: 'places', type: 'multiselect', options: [{ value: composed, label: 'A' }] },
      { id: 'word', type: 'text', pattern: '[a-zé]+' },
      { id: 'more', type: 'text', when: { field: 'word', equals: composed } },
    ]),
  });
  const answer: Answer = { action: 'submit', input: { place: apart, places: [apart], word: apart, more: apart } };

  test('[INT16] are the same choice, and fit the same pattern and condition', () => {
    expect(faultsOf(request, answer)).toBeUndefined();
  });

  test('[INT16] stay as they are in free text; a choice is written as its option', () => {
    const input = { place: composed, places: [composed], word: apart, more: apart };
    expect(completeAnswer(request, answer).input).toEqual(input);
  });

  test('[INT16] are two choices if both are offered', () => {
    const options = [composed, apart].map((value) => ({ value, label: value }));
    const both = requestFrom({ ...inputDraft, inputSchema: form([{ id: 'place', type: 'select', options }]) });
    expect(completeAnswer(both, { action: 'submit', input: { place: apart } }).input).toEqual({ place: apart });
  });
});
