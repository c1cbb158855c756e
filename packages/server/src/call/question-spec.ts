import { hash } from 'node:crypto';
import {
  digestText,
  type FormValues,
  findRequestFaults,
  findUnknownMembers,
  type InteractionDemand,
  type InteractionRequest,
  type InteractionResponse,
  type InteractionSpec,
  interactionSpecSchema,
  isSmall,
  type Json,
  limits,
  sizeOfRequest,
  ToolError,
  type ToolErrorCode,
} from '@parleyhq/core';
import { LimitError } from '../tools/limit-error.ts';
import { makeMatcher } from '../tools/pattern-matcher.ts';
import type { PastAttempt } from './journal.ts';

/** Identifies what a person consents to (DUR5). */
export function digestOf(toolName: string, spec: InteractionSpec): string {
  return hash('sha256', digestText(toolName, spec));
}

/** The spec of a later attempt, so that the next one inherits from it; what is never stored stays as it is. */
export function specOf(request: InteractionRequest, own: InteractionSpec): InteractionSpec {
  const { interactionType: type, error: _, fieldErrors: __, ...shown } = request;
  return { ...parseSpec({ ...own, ...pickSpec(shown), type }, 'tool_error') };
}

const inherited = [
  'title',
  'prompt',
  'subject',
  'url',
  'risk',
  'inputSchema',
  'initialValues',
  'editable',
  'editPath',
  'rules',
  'view',
  'actions',
  'presentation',
  'completedView',
  'audience',
  'visibility',
  'reasonRequired',
  'decide',
  'escalate',
] as const;

function pickSpec(request: Partial<InteractionRequest>): Partial<InteractionSpec> {
  return Object.fromEntries(inherited.flatMap((name) => (request[name] === undefined ? [] : [[name, request[name]]])));
}

/** An answer whose secrets only the ended process knew (INT17). */
export function hasSecrets({ request, response, resolution }: PastAttempt): boolean {
  return response !== undefined && !resolution && holdsSecrets(request, response);
}

/** Whether a field was filled that is never stored. */
export function holdsSecrets(request: InteractionRequest, { input }: Pick<InteractionResponse, 'input'>): boolean {
  return secretFields(request).some((id) => input?.[id] !== undefined);
}

/** The fields of a request that are never stored. */
export function secretFields({ inputSchema }: InteractionRequest): readonly string[] {
  return (inputSchema?.fields ?? []).filter(({ type }) => type === 'secret').map(({ id }) => id);
}

/** Where a request comes from: what a fault is called, and at which call of the context. */
export interface Handed {
  readonly code: ToolErrorCode;
  /** `requestInteraction` by default. */
  readonly door?: string | undefined;
}

/**
 * What an author handed over, as a request. `inherited` is what a reprompt does not name.
 * @throws ToolError with `code`, naming each member that is unknown or does not fit, by its path (PLG8)
 */
export function requireRequest(
  handed: object,
  { code, door = ownDoor }: Handed,
  inherited: Partial<InteractionSpec> = {},
): InteractionSpec {
  const unknown = findUnknownMembers(interactionSpecSchema, handed, ownNames);
  if (unknown.length > 0) throw new ToolError(code, `${door}: ${unknown.join(' ')}`);
  const members = Object.entries(handed).filter(([name]) => !ownNames.some((own) => own === name));
  const spec = parseSpec({ ...inherited, ...Object.fromEntries(members) }, code, door);
  const faults = findRequestFaults(
    handed,
    spec,
    makeMatcher(() => undefined),
  );
  if (faults.length > 0) throw new ToolError(code, `${door}: ${faults.join('; ')}`);
  return spec;
}

/** What was stored is parsed, and judged no further (EVT5). @throws ToolError with `code`, naming each member that does not fit */
function parseSpec(spec: unknown, code: ToolErrorCode, door = ownDoor): InteractionSpec {
  const parsed = interactionSpecSchema.safeParse(spec);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'request'}: ${message}`);
  const words = `${door}: ${faults.join('; ')}`;
  throw parsed.error.issues.some(hasTooManyFields) ? new LimitError('fields', code, words) : new ToolError(code, words);
}

function hasTooManyFields({ code, path }: { code: string; path: PropertyKey[] }): boolean {
  return code === 'too_big' && path.join('.') === 'inputSchema.fields';
}

const ownDoor = 'requestInteraction';
const ownNames = [
  'onResponse',
  'onTimeout',
  'onCancel',
  'onLateResponse',
  'signal',
] satisfies (keyof InteractionDemand)[];

/** @throws LimitError where a new prompt is too large to be sent to everybody; what was stored is not asked (EVT5) */
export function requireModestSize(request: object): void {
  if (isSmall(request) || sizeOfRequest(request) <= limits.promptBytes) return;
  const words = `requestInteraction: the request is larger than ${limits.promptBytes / 1024} KiB`;
  throw new LimitError('promptBytes', 'tool_error', words);
}

/** What a person typed into fields that stay, as the next attempt's initial values; secrets are typed again. */
export function typedValues(last: InteractionRequest, input: FormValues, { inputSchema }: InteractionSpec): FormValues {
  const isSecret = (id: string) => last.inputSchema?.fields.some((field) => field.id === id && field.type === 'secret');
  const fields = inputSchema?.fields.filter(({ id }) => input[id] !== undefined && !isSecret(id)) ?? [];
  return Object.fromEntries(fields.map(({ id }) => [id, input[id] as Json]));
}
