import {
  type ApprovalScope,
  type CloseReason,
  defaultPrompt,
  type InteractionItem,
  type InteractionRequest,
  type InteractionResponse,
  type Json,
  type Payload,
  type Principal,
  showHidden,
} from '@parleyhq/core';
import { html } from 'lit';
import { said } from '../untrusted-text.ts';

/** The one line that names a prompt. */
export function headingOf(request: InteractionRequest): string {
  return showHidden(request.title ?? request.prompt ?? defaultPrompt(request));
}

export const scopeLabels: Record<ApprovalScope, string> = {
  once: 'Allow once',
  session: 'Allow for session',
  always: 'Always allow',
};

const scopeReceipts: Record<ApprovalScope, string> = {
  once: 'Allowed once',
  session: 'Allowed for this session',
  always: 'Always allowed',
};

export const riskLabels = { low: 'Low risk', medium: 'Medium risk', high: 'High risk' } as const;

/** What was answered, in two or three words. */
export function describeResponse(request: InteractionRequest, response: InteractionResponse): string {
  switch (response.action) {
    case 'approve':
      return request.interactionType === 'url' ? 'Opened' : scopeReceipts[response.approvalScope ?? 'once'];
    case 'deny':
      return 'Denied';
    case 'submit':
      return 'Submitted';
    case 'cancel':
      return 'Cancelled';
    default:
      return response.action satisfies never;
  }
}

const closings: Record<CloseReason, string> = {
  timeout: 'Nobody answered in time',
  cancelled: 'Cancelled: no longer needed',
  superseded: 'Superseded by a newer question',
  handler_error: 'Closed: its tool failed',
  orphaned: 'Orphaned: its tool is gone',
  session_ended: 'Closed with its session',
};

export function describeClosing({ reason, replacedBy }: Payload<'interaction_closed'>): string {
  return reason === 'timeout' && replacedBy !== undefined ? 'Timed out and asked again' : closings[reason];
}

/** An earlier attempt in a few words. */
export function describeStep(step: InteractionItem): string {
  const request = step.request?.payload;
  if (!request) return '';
  const ending = step.response
    ? describeResponse(request, step.response.payload)
    : step.closed
      ? describeClosing(step.closed.payload)
      : 'Asked again';
  return `Attempt ${request.attempt}: ${ending}`;
}

/** Why somebody who sees a prompt cannot answer it. */
export function explainOnlooker({ role }: Principal, { audience }: InteractionRequest) {
  if (role === 'viewer') return 'You can look on; your role does not let you answer.';
  const { role: wanted, principals } = audience ?? {};
  if (principals) return html`This is for ${principals.map((name, n) => [n > 0 ? ' or ' : '', said(name)])} to answer.`;
  return wanted === 'operator' ? 'Only an operator can answer this.' : 'This is for others to answer.';
}

const inText = /\{\{\s*([\w.-]+)\s*\}\}/g;

/** `summaryTemplate` with its names filled in: plain text, an unknown name is empty, a secret is dots (WEB1). */
export function fillTemplate(
  template: string,
  response: InteractionResponse,
  describe: (id: string, value: Json) => string,
): string {
  const { action, approvalScope = '', reason = '', by, input = {} } = response;
  const names: Record<string, string> = {
    action,
    scope: approvalScope,
    reason,
    by: by.label ?? by.name ?? by.principal,
  };
  return template.replace(inText, (_, name: string) => {
    if (!name.startsWith('input.')) return Object.hasOwn(names, name) ? (names[name] ?? '') : '';
    const id = name.slice('input.'.length);
    const value = Object.hasOwn(input, id) ? input[id] : undefined;
    return value === undefined ? '' : describe(id, value);
  });
}
