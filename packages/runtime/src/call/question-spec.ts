import { hash } from 'node:crypto';
import {
  digestText,
  type GrantOffer,
  type InteractionHooks,
  type InteractionRequest,
  type InteractionSpec,
  isSmall,
  limits,
  type PromptDraft,
  parseRequest,
  type RequestIssue,
  readRequest,
  sizeOfRequest,
  ToolError,
  type ToolErrorCode,
} from '@parleyhq/core';
import { holdsSecrets } from '../session/sealed-secrets.ts';
import { LimitError } from '../tools/limit-error.ts';
import { makeMatcher } from '../tools/pattern-matcher.ts';
import type { PastAttempt } from './journal.ts';

/** Returns a digest that identifies what a person consents to (DUR5). */
export function digestOf(toolName: string, spec: InteractionSpec): string {
  return hash('sha256', digestText(toolName, spec));
}

/** Returns the spec of a later attempt, from which the next one inherits; members that are never stored come from `own`. */
export function specOf(request: InteractionRequest, own: InteractionSpec): InteractionSpec {
  return parseRequest({ ...own, ...pickSpec(request), type: request.interactionType }, refusalWith('tool_error'));
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
  'wordsOnlyWithDenial',
  'decide',
  'consents',
  'escalate',
] as const;

function pickSpec(request: InteractionRequest): Partial<InteractionSpec> {
  return Object.fromEntries(inherited.flatMap((name) => (request[name] === undefined ? [] : [[name, request[name]]])));
}

/** Returns the members of a prompt that say which hooks its handler has. */
export function markHooks({ onResponse, onTimeout, onCancel, onLateResponse }: InteractionHooks): Partial<PromptDraft> {
  return {
    ...(!onResponse && { isPlain: true }),
    hasTimeoutHook: onTimeout !== undefined,
    ...(onCancel && { hasCancelHook: true }),
    ...(onLateResponse && { hasLateHook: true }),
  };
}

/** Returns the members of a prompt that name the grant which a lasting answer gives. */
export function membersOf(offer: GrantOffer | undefined): Partial<PromptDraft> {
  if (!offer) return {};
  const { key: grantKey, ttlMs: grantTtlMs, sessionTtlMs } = offer;
  return {
    grantKey,
    ...(grantTtlMs !== undefined && { grantTtlMs }),
    ...(sessionTtlMs !== undefined && { sessionTtlMs }),
  };
}

/** Whether an answer had secrets that only the ended process knew (INT17). */
export function hasSecrets({ request, response, resolution }: PastAttempt): boolean {
  return response !== undefined && !resolution && holdsSecrets(request, response);
}

/** How to report an invalid request: the error code and the context method that was called. */
export interface RequestOrigin {
  readonly code: ToolErrorCode;
  /** `requestInteraction` by default. */
  readonly door?: string | undefined;
}

/**
 * Reads an author's request. `inherited` has what a reprompt does not name.
 * @throws ToolError with `code`, naming the invalid members
 */
export function requireRequest(
  handed: object,
  { code, door }: RequestOrigin,
  inherited: Partial<InteractionSpec> = {},
): InteractionSpec {
  return readRequest(handed, { door, inherited, matches: makeMatcher(() => undefined), refuse: refusalWith(code) });
}

/** Makes the error for an invalid request: too many fields count as a limit that was reached (SEC11). */
function refusalWith(code: ToolErrorCode) {
  return (words: string, issues: readonly RequestIssue[]) =>
    issues.some(hasTooManyFields) ? new LimitError('fields', code, words) : new ToolError(code, words);
}

function hasTooManyFields({ code, path }: RequestIssue): boolean {
  return code === 'too_big' && path.join('.') === 'inputSchema.fields';
}

/** @throws LimitError if a new prompt is too large to broadcast; stored ones are not checked (EVT5) */
export function requireModestSize(request: object): void {
  if (isSmall(request) || sizeOfRequest(request) <= limits.promptBytes) return;
  const words = `requestInteraction: the request is larger than ${limits.promptBytes / 1024} KiB`;
  throw new LimitError('promptBytes', 'tool_error', words);
}
