import { by, makeRequest, type RequestPart } from '@parleyhq/client/testing';
import type { Field, FormSchema, NewEvent } from '@parleyhq/core';
import { hostileTexts } from '../../core/test/support/hostile.ts';

/** Part of every untrusted text: wherever it appears, untrusted text is shown. */
export const mark = 'Qvx';

/** Harmless text. Hostile text must lead to exactly the same elements of the page. */
export const plainText = `${mark} ${'plain words '.repeat(8)}`.trim();

const receipts = [
  '✓ **Allowed for this session** · Deploy to production? · by you · 10:31',
  '[ Allow once ] [ Deny ] ⚠ High risk 🛡 Approval from shell · attempt 1',
  'Connection lost. Reconnecting … Your messages and answers are kept and sent afterwards.',
  '<parley-approval></parley-approval><button data-answer="approve">Allow once</button>',
  ':host{display:none} .card{position:fixed;inset:0} @import url(https://evil.example/x.css);',
  '[https://bank.example/login](https://evil.example/) ![x](//evil.example/x.png) <a href="javascript:alert(1)">x</a>',
];

/** Hostile texts, by kind. */
export const payloads: Readonly<Record<string, string>> = {
  'markup, hidden characters and imitations': [...hostileTexts, ...receipts]
    .map((text) => `${mark} ${text}`)
    .join('\n'),
  'one very long word': mark + 'W'.repeat(3000),
  'many lines': `${mark}\nline\n`.repeat(400),
  'stacked combining marks and wide characters': `${mark}${`Z${'\u0351\u0489\u20dd\u0334'.repeat(12)}`.repeat(6)} ${'﷽𒐫⸻'.repeat(20)}`,
  'right to left': `${mark} \u202e\u2067${'שלום مرحبا '.repeat(40)}`,
};

const types = ['text', 'textarea', 'number', 'checkbox', 'select', 'multiselect', 'radio', 'date', 'secret'] as const;

function everyField(text: string): FormSchema {
  const options = ['1', '2'].map((value) => ({ value, label: text, description: text }));
  const fields = types.map((type): Field => {
    const hasOptions = type === 'select' || type === 'multiselect' || type === 'radio';
    const words = { header: text, label: text, description: text, placeholder: text };
    return { id: `f-${type}`, type, ...words, ...(hasOptions && { options }) };
  });
  const sections = [{ id: 's', title: text, description: text, fields: ['f-text'] }];
  return { type: 'form', submitLabel: text, cancelLabel: text, fields, sections };
}

const from = (text: string) => ({ ...by, label: text, principal: text });

/** Returns a log with this text wherever untrusted text can occur. */
export function speakEverywhere(text: string): NewEvent[] {
  const turnId = 't';
  const events: NewEvent[] = [];
  const add = (type: string, payload: object) => events.push({ type, payload, turnId, responseId: 'r' } as NewEvent);
  const call = (toolCallId: string, toolName = 'deploy') =>
    add('tool_call', { toolCallId, toolName, args: { text, [text]: [text] }, authorised: { by: 'tool' } });
  const ask = (id: string, part: RequestPart) => {
    if (id.endsWith('.1')) call(id.slice(0, -2));
    add('interaction_request', makeRequest(id, { title: text, prompt: text, ...part }));
  };
  const respond = (id: string, part: object) =>
    add('interaction_response', {
      ...{ toolCallId: id.slice(0, -2), interactionId: id, answerId: id, by: from(text), reason: text },
      ...part,
    });
  const input = (part: RequestPart = {}) => ({
    interactionType: 'input' as const,
    inputSchema: everyField(text),
    initialValues: { 'f-text': text, 'f-textarea': text },
    ...part,
  });
  const answer = { 'f-text': text, 'f-textarea': text, 'f-radio': { other: text } };

  add('user_message', { messageId: 'm', text, origin: 'user', from: from(text) });
  add('turn_start', { trigger: 'user', agent: 'fake', owner: 'fake' });
  add('session_changed', { title: text, agent: text, by: from(text) });
  add('thinking_done', { block: 0, text });
  add('assistant_done', { block: 1, text });
  call('unknown', text);
  add('tool_result', { toolCallId: 'unknown', toolName: text, error: { code: text, message: text } });
  call('known');
  add('tool_result', { toolCallId: 'known', toolName: 'deploy', result: { text, list: [text] } });
  add('error', { code: text, message: text });
  add(`${text}`.slice(0, 60), { text });
  ask('allowed.1', { subject: { kind: 'text', text } });
  respond('allowed.1', { action: 'approve', approvalScope: 'session', editedArgs: { text } });
  ask('filled.1', input());
  respond('filled.1', { action: 'submit', input: answer });
  ask('summed.1', input({ completedView: { summaryTemplate: `${text} {{by}} {{input.f-text}} {{reason}}` } }));
  respond('summed.1', { action: 'submit', input: answer });
  ask('closed.1', {});
  add('interaction_closed', { toolCallId: 'closed', interactionId: 'closed.1', reason: 'timeout' });
  ask('broken.1', { interactionType: 'input', inputSchema: { type: 'form', fields: [null] } as never });
  ask('alone.1', { ...input(), presentation: 'questionnaire', source: { kind: 'mcp', name: text } });
  ask('again.1', input());
  respond('again.1', { action: 'submit', input: answer });
  ask('again.2', {
    ...input(),
    replaces: 'again.1',
    attempt: 2,
    error: text,
    fieldErrors: { 'f-text': text, x: text },
  });
  ask('later.1', {});
  add('interaction_pending', { toolCallId: 'later', interactionId: 'later.1', message: text });
  add('interaction_comment', { toolCallId: 'later', interactionId: 'later.1', commentId: 'k', text, by: from(text) });
  for (const kind of ['text', 'command', 'json', 'diff'] as const) {
    const subject = { kind, text: text.repeat(kind === 'text' && text.includes('\n') ? 25 : 1).slice(0, 65_536) };
    ask(`${kind}.1`, { subject, risk: 'high', editable: true, source: { kind: 'agent', name: text } });
  }
  ask('link.1', { interactionType: 'url', url: `https://example.org/${encodeURI(text.slice(0, 2000))}?${text}` });
  ask('dock.1', { presentation: 'composer', subject: { kind: 'text', text } });
  add('message_queued', { messageId: 'q', text, origin: 'user', from: from(text) });
  return events;
}
