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

/** Some members of a draft of any kind. */
export type DraftPart = { [Name in keyof PromptDraft]?: PromptDraft[Name] };

type DraftOf<Type> = Extract<PromptDraft, { readonly interactionType: Type }>;

const shared = {
  toolCallId: 'call',
  slot: '1',
  toolName: 'tool',
  presentation: 'tool',
  source: { kind: 'tool', name: 'tool' },
  timeoutMs: 300_000,
  hasTimeoutHook: true,
  onUnavailable: 'error',
} as const;

export const approvalDraft: DraftOf<'approval'> = {
  ...shared,
  interactionType: 'approval',
  approvalScopes: ['once', 'session'],
  digest: 'digest-approval',
};

export const inputDraft: DraftOf<'input'> = {
  ...shared,
  interactionType: 'input',
  title: 'Where to?',
  inputSchema: form([
    { id: 'city', type: 'text', label: 'City', required: true },
    { id: 'nights', type: 'number', min: 1 },
    { id: 'pin', type: 'secret', label: 'PIN' },
  ]),
  digest: 'digest-input',
};

export const urlDraft: DraftOf<'url'> = {
  ...shared,
  interactionType: 'url',
  url: 'https://example.org/consent',
  digest: 'digest-url',
};

type RequestPart = { [Name in keyof InteractionRequest]?: InteractionRequest[Name] };
type RequestOf<Draft> = Extract<InteractionRequest, Pick<Draft & PromptDraft, 'interactionType'>>;

export function requestFrom<Draft extends PromptDraft>(draft: Draft, parts: RequestPart = {}): RequestOf<Draft> {
  return { ...draft, interactionId: `${draft.toolCallId}.1`, attempt: 1, ...parts } as unknown as RequestOf<Draft>;
}
