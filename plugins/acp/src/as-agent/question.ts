import {
  type Answer,
  type ApprovalScope,
  type Field,
  type FormSchema,
  type InteractionRequest,
  isRecord,
  mayConsent,
  needsVotes,
  type OpenPrompt,
  type Principal,
  showHidden,
} from '@parleyhq/core';
import type { PermissionOption } from '../sdk.ts';
import { toEditorForm } from './form.ts';
import { describeAsked, nameAsked } from './words.ts';

/** What an editor can show. */
export interface EditorFeatures {
  readonly hasForms: boolean;
  readonly hasAddresses: boolean;
}

export interface AskedIn {
  readonly sessionId: string;
  readonly principal: Principal;
  readonly features: EditorFeatures;
  /** Address of the prompt's card. */
  readonly url: string;
}

/** A prompt as a request to the editor. */
export interface Question {
  readonly method: 'session/request_permission' | 'elicitation/create';
  readonly params: object;
  /** Returns what a result answers; undefined if it answers nothing, so that the prompt stays open. */
  read(result: unknown): Answer | undefined;
}

/** Longest list of choices that is offered as buttons. */
const mostChoices = 10;

interface Offered extends PermissionOption {
  readonly answer: Answer | undefined;
}

/**
 * Returns the request for a prompt that its person may answer. One that an editor cannot show whole becomes a single option, which
 * never answers more than a plain no, and words that name the card: never a weaker question (WEB7).
 */
export function toQuestion(prompt: OpenPrompt, asked: AskedIn): Question {
  const { request } = prompt;
  const missing = findMissing(prompt);
  if (missing !== undefined) return askElsewhere(request, asked, missing);
  switch (request.interactionType) {
    case 'approval':
      return askPermission(request, asked, listApprovals(request, asked.principal));
    case 'url':
      return asked.features.hasAddresses
        ? askAddress(request, asked)
        : askElsewhere(request, asked, 'an address to open');
    case 'input':
      return askForm(request, asked);
    default:
      return request satisfies never;
  }
}

/** Returns what an editor could not show, or could not answer. */
function findMissing({ request, isCut }: OpenPrompt): string | undefined {
  if (isCut) return 'a question of this size';
  if (request.stepUp) return 'the request for your passkey';
  if (needsVotes(request)) return 'a decision of several people';
  if (request.reasonRequired) return 'a reason with the answer';
  if (request.interactionType === 'approval' && (request.inputSchema || request.view)) return 'details in a form';
  return request.actions ? 'buttons of its own' : undefined;
}

function listApprovals({ approvalScopes = ['once'], rules = [] }: InteractionRequest, principal: Principal): Offered[] {
  const scopes = approvalScopes.filter((scope) => mayConsent(principal, scope));
  const ofRules = rules.flatMap(({ id: ruleId, label, scopes: wider }) =>
    wider
      .filter((scope) => mayConsent(principal, scope))
      .map((scope) => ({
        optionId: `rule:${scope}:${ruleId}`,
        name: `${scopeNames[scope]}: ${showHidden(label)}`,
        kind: 'allow_always' as const,
        answer: { action: 'approve' as const, approvalScope: scope, ruleId },
      })),
  );
  const exact = scopes.map((scope) => ({
    optionId: scope,
    name: scopeNames[scope],
    kind: scope === 'once' ? ('allow_once' as const) : ('allow_always' as const),
    answer: { action: 'approve' as const, approvalScope: scope },
  }));
  return [...exact, ...ofRules, denial];
}

const scopeNames: Readonly<Record<ApprovalScope, string>> = {
  once: 'Allow once',
  session: 'Allow for session',
  always: 'Always allow',
};

const denial: Offered = { optionId: 'deny', name: 'Deny', kind: 'reject_once', answer: { action: 'deny' } };

function askForm(request: InteractionRequest, asked: AskedIn): Question {
  const form = request.inputSchema as FormSchema;
  const shown = asked.features.hasForms ? toEditorForm(form, request.initialValues) : undefined;
  const only = shown ? undefined : findOnlyChoice(form);
  if (only) return askPermission(request, asked, listChoices(form, only));
  if (!shown) return askElsewhere(request, asked, 'this form');
  const { schema, read } = shown;
  return elicit(request, asked, { mode: 'form', requestedSchema: schema }, (result) => {
    if (result.action === 'accept') return { action: 'submit', input: read(result.content) };
    return result.action === 'decline' ? { action: 'cancel' } : undefined;
  });
}

function askAddress(request: InteractionRequest, asked: AskedIn): Question {
  const { url = '', interactionId: elicitationId } = request;
  return elicit(request, asked, { mode: 'url', url, elicitationId }, ({ action }) => {
    if (action === 'accept') return { action: 'approve' };
    return action === 'decline' ? { action: 'deny' } : undefined;
  });
}

/** Returns the required choice that is all of a form. */
function findOnlyChoice({ fields }: FormSchema): Field | undefined {
  const [only, ...others] = fields;
  if (!only?.required || only.other || others.length > 0) return undefined;
  const { type, options = [] } = only;
  const isShort = options.length <= mostChoices && !options.some(({ preview }) => preview !== undefined);
  return (type === 'radio' || type === 'select') && isShort ? only : undefined;
}

/**
 * Offers the choices with the cancel before them. None has a kind that allows: a client that answers by kind, or with the first option,
 * must not choose for the person.
 */
function listChoices({ cancelLabel = 'Cancel' }: FormSchema, { id, options = [] }: Field): Offered[] {
  const kind = 'reject_once';
  const choices = options.map(
    ({ value, label, description }, index) =>
      ({
        optionId: `choice:${index + 1}`,
        name: showHidden(description === undefined ? label : `${label}: ${description}`),
        kind,
        answer: { action: 'submit', input: { [id]: value } },
      }) as const,
  );
  return [{ optionId: 'cancel', name: showHidden(cancelLabel), kind, answer: { action: 'cancel' } }, ...choices];
}

function askElsewhere(request: InteractionRequest, asked: AskedIn, missing: string): Question {
  const mayDeny = request.interactionType === 'approval' && !needsVotes(request) && !request.reasonRequired;
  const open: Offered = { optionId: 'open', name: 'Open in Parley', kind: 'reject_once', answer: undefined };
  const words = `An editor cannot show ${missing}. ${mayDeny ? 'To allow it, open' : 'Answer it at'} ${asked.url}`;
  return askPermission(request, asked, [mayDeny ? denial : open], words);
}

function askPermission(
  request: InteractionRequest,
  { sessionId }: AskedIn,
  offered: readonly Offered[],
  words?: string,
): Question {
  const text = [describeAsked(request), ...(words === undefined ? [] : [words])].join('\n\n');
  return {
    method: 'session/request_permission',
    params: {
      sessionId,
      toolCall: {
        toolCallId: request.toolCallId,
        title: nameAsked(request),
        status: 'pending',
        content: [{ type: 'content', content: { type: 'text', text } }],
      },
      options: offered.map(({ answer: _, ...option }) => option),
    },
    read(result) {
      const { outcome, optionId } = isRecord(result) && isRecord(result.outcome) ? result.outcome : {};
      return outcome === 'selected' ? offered.find((option) => option.optionId === optionId)?.answer : undefined;
    },
  };
}

function elicit(
  request: InteractionRequest,
  { sessionId }: AskedIn,
  mode: object,
  read: (result: Readonly<Record<string, unknown>>) => Answer | undefined,
): Question {
  const { toolCallId } = request;
  return {
    method: 'elicitation/create',
    params: { ...mode, sessionId, toolCallId, message: describeAsked(request) },
    read: (result) => (isRecord(result) ? read(result) : undefined),
  };
}
