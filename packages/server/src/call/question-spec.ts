import {
  type FormValues,
  type InteractionAnswer,
  type InteractionHooks,
  type InteractionRequest,
  type InteractionResponse,
  type InteractionSpec,
  interactionSpecSchema,
  isRecord,
  type Json,
  limits,
  type Outcome,
  sizeOfRequest,
  ToolError,
  type ToolErrorCode,
} from '@parleyhq/core';
import { LimitError } from '../tools/limit-error.ts';
import { findUnknownMembers } from '../tools/typo-check.ts';
import type { PastAttempt } from './journal.ts';

/** The answer of an earlier process, from the log. */
export function answerOf(response: InteractionResponse): InteractionAnswer {
  const { toolCallId: _, answerId: __, late: ___, grantId: ____, ...answer } = response;
  return answer as InteractionAnswer;
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
  'rules',
  'presentation',
  'completedView',
  'audience',
  'visibility',
] as const;

function pickSpec(request: Partial<InteractionRequest>): Partial<InteractionSpec> {
  return Object.fromEntries(inherited.flatMap((name) => (request[name] === undefined ? [] : [[name, request[name]]])));
}

/** An answer whose secrets only the ended process knew (INT17). */
export function hasSecrets({ request, response, resolution }: PastAttempt): boolean {
  if (!response?.input || resolution) return false;
  return (request.inputSchema?.fields ?? []).some(
    (field) => field.type === 'secret' && response.input?.[field.id] !== undefined,
  );
}

/** @throws ToolError with `code`, naming each member that does not fit */
export function parseSpec(spec: unknown, code: ToolErrorCode): InteractionSpec {
  const parsed = interactionSpecSchema.safeParse(spec);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'request'}: ${message}`);
  const words = `requestInteraction: ${faults.join('; ')}`;
  throw parsed.error.issues.some(hasTooManyFields) ? new LimitError('fields', code, words) : new ToolError(code, words);
}

function hasTooManyFields({ code, path }: { code: string; path: PropertyKey[] }): boolean {
  return code === 'too_big' && path.join('.') === 'inputSchema.fields';
}

const hookNames = ['onResponse', 'onTimeout', 'onCancel', 'onLateResponse'] satisfies (keyof InteractionHooks)[];

/** @throws ToolError with `code`, naming each member that a request does not have; what was stored is not asked (EVT5) */
export function requireKnownMembers(demand: object, code: ToolErrorCode): void {
  const faults = findUnknownMembers(interactionSpecSchema, demand, hookNames);
  if (faults.length > 0) throw new ToolError(code, `requestInteraction: ${faults.join(' ')}`);
}

/** @throws LimitError where a new prompt is too large to be sent to everybody; what was stored is not asked (EVT5) */
export function requireModestSize(request: object): void {
  if (sizeOfRequest(request) <= limits.promptBytes) return;
  const words = `requestInteraction: the request is larger than ${limits.promptBytes / 1024} KiB`;
  throw new LimitError('promptBytes', 'tool_error', words);
}

/** What a person typed into fields that stay, as the next attempt's initial values; secrets are typed again. */
export function typedValues(last: InteractionRequest, input: FormValues, { inputSchema }: InteractionSpec): FormValues {
  const isSecret = (id: string) => last.inputSchema?.fields.some((field) => field.id === id && field.type === 'secret');
  const fields = inputSchema?.fields.filter(({ id }) => input[id] !== undefined && !isSecret(id)) ?? [];
  return Object.fromEntries(fields.map(({ id }) => [id, input[id] as Json]));
}

/** Exactly one of the three verdicts. @throws ToolError `invalid_outcome` */
export function checkOutcome(outcome: unknown): Outcome {
  if (isRecord(outcome) && Object.keys(outcome).length === 1) {
    if ('complete' in outcome) return { complete: outcome.complete };
    if (isRecord(outcome.reprompt)) return { reprompt: outcome.reprompt as Partial<InteractionSpec> };
    if (isRecord(outcome.pending) && typeof outcome.pending.message === 'string') {
      const { message, queued } = outcome.pending;
      return { pending: { message, ...(typeof queued === 'boolean' && { queued }) } };
    }
  }
  throw new ToolError('invalid_outcome', 'A hook must return one of {complete}, {reprompt} and {pending: {message}}.');
}
