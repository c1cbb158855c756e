import {
  type Actor,
  anchorPattern,
  type Field,
  type FormSchema,
  formSchema,
  type InteractionRequest,
  type Matches,
  type Principal,
  type PromptDraft,
} from '../../src/index.ts';

export const sessionStart = Date.parse('2026-03-01T09:00:00.000Z');

export const matches: Matches = (pattern, value) => new RegExp(anchorPattern(pattern), 'u').test(value);

export function actor(clientId = 'tab'): Actor {
  return { clientId, connectionId: `${clientId}-link`, principal: 'owner', transport: 'ws' };
}

export const operator: Principal = { id: 'owner', role: 'operator' };
export const viewer: Principal = { id: 'guest', role: 'viewer' };

/** Makes a form as parsed from what an author writes. */
export function form(fields: readonly Field[], parts: Partial<FormSchema> = {}): FormSchema {
  return formSchema.parse({ type: 'form', fields: [...fields], ...parts });
}

export const approvalDraft: PromptDraft = {
  toolCallId: 'call',
  slot: '1',
  toolName: 'tool',
  interactionType: 'approval',
  approvalScopes: ['once', 'session'],
  presentation: 'tool',
  source: { kind: 'tool', name: 'tool' },
  digest: 'digest-approval',
  timeoutMs: 300_000,
  hasTimeoutHook: true,
  onUnavailable: 'error',
};

const { approvalScopes: _, ...unscoped } = approvalDraft;

export const inputDraft: PromptDraft = {
  ...unscoped,
  interactionType: 'input',
  title: 'Where to?',
  inputSchema: form([
    { id: 'city', type: 'text', label: 'City', required: true },
    { id: 'nights', type: 'number', min: 1 },
    { id: 'pin', type: 'secret', label: 'PIN' },
  ]),
  digest: 'digest-input',
};

export const urlDraft: PromptDraft = {
  ...unscoped,
  interactionType: 'url',
  url: 'https://example.org/consent',
  digest: 'digest-url',
};

export function requestFrom(draft: PromptDraft, parts: Partial<InteractionRequest> = {}): InteractionRequest {
  return { ...draft, interactionId: `${draft.toolCallId}.1`, attempt: 1, ...parts };
}
