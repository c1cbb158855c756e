import * as z from 'zod/mini';
import { canonicalise } from '../basics/json.ts';
import { jsonValue } from '../basics/json-value.ts';
import { formSchema } from '../form/field.ts';
import { formButtonsSchema } from '../form/form-button.ts';
import { annotationsSchema } from './annotation-schema.ts';
import { storedAssertionSchema } from './assertion.ts';
import { attachmentsSchema } from './attachment-schema.ts';
import { audienceSchema, escalateSchema, maxTimeoutMs } from './audience.ts';
import { quorumSchema, tallySchema } from './quorum.ts';
import { offeredRulesSchema } from './rule.ts';
import { askedViewSchema, maxViewData } from './view.ts';

/** An actor: a client on a connection, with the principal of its token. */
export const actorSchema = z.object({
  clientId: z.string(),
  connectionId: z.string(),
  principal: z.string(),
  /** Name of the principal, from its token; `label` is what the client calls itself. */
  name: z.optional(z.string()),
  label: z.optional(z.string()),
  transport: z.string(),
  /** Person behind the token, if that is not the principal itself (TEAM2). */
  owner: z.optional(z.string()),
  /** Role of the token. Absent in events of earlier releases. */
  role: z.optional(z.string()),
});

export type Actor = z.infer<typeof actorSchema>;

/** Returns the person's name from the token. A client's own label names only a device (RPL3). */
export function nameOf({ name, principal }: Pick<Actor, 'name' | 'principal'>): string {
  return name ?? principal;
}

export const interactionTypes = ['approval', 'input', 'url'] as const;
export type InteractionType = (typeof interactionTypes)[number];

export const approvalScopes = ['once', 'session', 'always'] as const;
export type ApprovalScope = (typeof approvalScopes)[number];

export const riskSchema = z.enum(['low', 'medium', 'high']);

export const presentations = ['tool', 'questionnaire', 'composer'] as const;
export type Presentation = (typeof presentations)[number];

export const actions = ['approve', 'deny', 'submit', 'cancel'] as const;
export type Action = (typeof actions)[number];

/**
 * Exactly what is asked about, shown as plain text. `markdown` was written to be formatted, such as a plan; a client may still
 * show it as text.
 */
export const subjectSchema = z.object({
  kind: z.enum(['text', 'command', 'json', 'diff', 'markdown']),
  text: z.string(),
  /** What it is a version of: prompts of a session with the same thread show what changed since one was refused (REV3). */
  thread: z.optional(z.string().check(z.minLength(1), z.maxLength(128))),
});
export type Subject = z.infer<typeof subjectSchema>;

/** Returns the subject unless it has no content, like a call without arguments. */
export function readableSubject({ subject }: { readonly subject?: Subject | undefined }): Subject | undefined {
  return subject?.kind === 'json' && subject.text === '{}' ? undefined : subject;
}

/** Returns the first line of what is asked about; for changes, the file. Empty if there is nothing to name. */
export function nameSubject(request: {
  readonly subject?: Subject | undefined;
  readonly url?: string | undefined;
}): string {
  const subject = readableSubject(request);
  const lines = (subject?.text ?? request.url ?? '').split('\n');
  const file = subject?.kind === 'diff' ? lines.find((line) => line.startsWith('+++ '))?.slice(4) : undefined;
  const first = lines.find((line) => line.trim() !== '') ?? '';
  const mark = file !== undefined ? /^b\// : subject?.kind === 'markdown' ? /^#+ / : /^/;
  return (file ?? first).trim().replace(mark, '');
}

export const completedViewSchema = z.object({
  showInputs: z.optional(z.boolean()),
  summaryTemplate: z.optional(z.string()),
});

/** `audience`: people outside the audience see that the call exists, and nothing else (TEAM1). */
export const visibilitySchema = z.literal('audience');

/** Actions that need a reason. An answer from a grant never has one (TEAM5). */
export const reasonRequiredSchema = z.array(z.enum(actions)).check(z.minLength(1));

export const valuesSchema = z.record(z.string(), jsonValue);

/**
 * Limit in characters. Longer texts are rejected rather than cut, so that nobody approves a text they saw only in part (SEC5).
 */
export const maxShownLength = 64 * 1024;

const shownText = z.string().check(z.maxLength(maxShownLength));

/** Path of the only argument that may be edited; without it all may. */
export const editPathSchema = z.array(z.string()).check(z.minLength(1), z.maxLength(8));

/** A request as the tool's author writes it, without the hooks (contract §5). */
export const interactionSpecSchema = z
  .object({
    type: z.enum(interactionTypes),
    key: z.optional(z.string().check(z.refine(isSlotKey, { error: 'must not be a number and not start with "$"' }))),
    title: z.optional(shownText),
    prompt: z.optional(shownText),
    subject: z.optional(z.extend(subjectSchema, { text: shownText })),
    url: z.optional(z.string().check(z.refine(isWebAddress, { error: 'must be an http or https address' }))),
    risk: z.optional(riskSchema),
    approvalScopes: z.optional(z.array(z.enum(approvalScopes)).check(z.minLength(1))),
    inputSchema: z.optional(formSchema),
    initialValues: z.optional(valuesSchema),
    editable: z.optional(z.boolean()),
    editPath: z.optional(editPathSchema),
    rules: z.optional(offeredRulesSchema),
    /** The plugin's page that shows it (PLG10). */
    view: z.optional(askedViewSchema),
    /** Custom buttons of the form (PLG11). */
    actions: z.optional(formButtonsSchema),
    /** Milliseconds; null for no limit. */
    timeoutMs: z.optional(z.nullable(z.number().check(z.positive(), z.lte(maxTimeoutMs)))),
    presentation: z.optional(z.enum(presentations)),
    completedView: z.optional(completedViewSchema),
    onUnavailable: z.optional(z.enum(['error', 'wait'])),
    audience: z.optional(audienceSchema),
    visibility: z.optional(visibilitySchema),
    decide: z.optional(quorumSchema),
    /**
     * Submitting the form consents to something, at most for this long: it takes whoever may consent so (SEC4), and is not asked where
     * votes are counted, because a form has none (TEAM3).
     */
    consents: z.optional(z.enum(approvalScopes)),
    escalate: z.optional(escalateSchema),
    reasonRequired: z.optional(reasonRequiredSchema),
    /** Whoever asks is given people's words with a denial only; with a yes there is no place for them (REV2). */
    wordsOnlyWithDenial: z.optional(z.literal(true)),
    error: z.optional(z.string()),
    fieldErrors: z.optional(z.record(z.string(), z.string())),
  })
  .check((context) => {
    const { type, inputSchema, url, rules, actions: buttons, view } = context.value;
    if (type === 'input' && !inputSchema) fault(context, 'inputSchema', 'an input needs a form');
    if (type === 'url' && !url) fault(context, 'url', 'a url prompt needs an address');
    if (type !== 'approval' && rules?.length) fault(context, 'rules', 'only an approval offers rules');
    if (type !== 'input' && buttons) fault(context, 'actions', 'only an input has buttons of its own');
    if (type === 'url' && view) fault(context, 'view', 'only an input or an approval has a view');
    if (view?.data !== undefined && JSON.stringify(view.data).length > maxViewData)
      fault(context, 'view.data', `must be at most ${maxViewData} characters of JSON`);
  });

/** The argument of `requestInteraction` without its hooks. */
export type InteractionSpec = z.infer<typeof interactionSpecSchema>;

function fault(context: z.core.ParsePayload<unknown>, path: string, message: string): void {
  context.issues.push({ code: 'custom', input: context.value, path: [path], message });
}

/** A placeholder in a `summaryTemplate` (WEB1). */
export const templateName = /\{\{\s*([\w.-]+)\s*\}\}/g;

/** Returns the placeholder names in a `summaryTemplate`, in order. */
export function findTemplateNames(template: string): string[] {
  return Array.from(template.matchAll(templateName), ([, name = '']) => name);
}

/** Whether a key is valid: numbers are slots of requests without a key, and `$` marks Parley's own slots (DUR5). */
function isSlotKey(key: string): boolean {
  return key !== '' && !/^(\d+$|\$)/.test(key);
}

/** Whether browsers may be sent to this address. */
export function isWebAddress(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

/** The slot of the policy gate's prompt (APR3). */
export const gateSlot = '$gate';

/** The slot of the question whether an interrupted call should run again (DUR4). */
export const recoverySlot = '$recovery';

export const sourceSchema = z.object({
  kind: z.enum(['tool', 'agent', 'mcp', 'policy', 'recovery']),
  name: z.string(),
});

/** The payload of `interaction_response`, the winning answer. Secrets are redacted. */
export const interactionResponseSchema = z.object({
  toolCallId: z.string(),
  interactionId: z.string(),
  answerId: z.string(),
  action: z.enum(actions),
  approvalScope: z.optional(z.enum(approvalScopes)),
  /** The rule that was consented to, instead of the exact arguments. */
  ruleId: z.optional(z.string()),
  /** The id in `actions` of the button that was pressed. */
  button: z.optional(z.string()),
  input: z.optional(valuesSchema),
  editedArgs: z.optional(jsonValue),
  reason: z.optional(z.string()),
  /** Remarks on lines of the subject (REV1). */
  annotations: z.optional(annotationsSchema),
  /** Attached files (REV6). */
  files: z.optional(attachmentsSchema),
  by: actorSchema,
  /** The grant that answered, and the label of its rule: see `ruleOfUse`. */
  grantId: z.optional(z.string()),
  rule: z.optional(z.string()),
  late: z.optional(z.boolean()),
  /** What a passkey of the actor signed, if the prompt demanded it (SIGN2). */
  assertion: z.optional(storedAssertionSchema),
  /** The final tally, including this deciding vote, if the prompt counts votes (TEAM3). */
  votes: z.optional(tallySchema),
  /** Principals whose votes no longer counted, because their tokens were revoked. */
  struck: z.optional(z.array(z.string())),
});

export type InteractionResponse = z.infer<typeof interactionResponseSchema>;

export const closeReasons = [
  'timeout',
  'cancelled',
  'superseded',
  'handler_error',
  'orphaned',
  'session_ended',
  'withdrawn',
] as const;
export type CloseReason = (typeof closeReasons)[number];

/** Returns the text whose hash is a prompt's digest. Consent applies to what was shown, so exactly these members count (DUR5). */
export function digestText(toolName: string, spec: Omit<InteractionSpec, 'key'>): string {
  const {
    type,
    title,
    prompt,
    subject,
    url,
    inputSchema,
    initialValues,
    editable,
    editPath,
    rules,
    actions: buttons,
    view,
    decide,
  } = spec;
  return canonicalise({
    tool: toolName,
    type,
    title,
    prompt,
    subject,
    url,
    inputSchema,
    initialValues,
    approvalScopes: offeredScopes(spec),
    editable,
    editPath,
    rules: rules?.length ? rules : undefined,
    view,
    actions: buttons,
    decide,
  });
}

/** Returns the scopes that an approval offers; undefined for other prompts. */
export function offeredScopes(spec: Pick<InteractionSpec, 'type' | 'approvalScopes'>): ApprovalScope[] | undefined {
  return spec.type === 'approval' ? (spec.approvalScopes ?? ['once', 'session']) : undefined;
}

/** Returns the text of a prompt that has none of its own (WEB3). */
export function defaultPrompt(request: {
  readonly toolName: string;
  readonly interactionType: InteractionType;
}): string {
  return request.interactionType === 'approval' ? `Allow "${request.toolName}"?` : `${request.toolName} asks`;
}

/** Returns a number that grows with the risk. No risk counts as low. */
export function riskLevel(risk: NonNullable<InteractionSpec['risk']> = 'low'): number {
  return ['low', 'medium', 'high'].indexOf(risk);
}
