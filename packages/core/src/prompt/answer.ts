import type { InteractionId } from '../basics/id.ts';
import { isRecord, type Json } from '../basics/json.ts';
import { hasVisible } from '../basics/visible-text.ts';
import { completeValues } from '../form/complete-values.ts';
import {
  cleanValues,
  describeValue,
  type FormValues,
  findVisibleFields,
  isEmptyValue,
  labelOf,
} from '../form/field.ts';
import { checkGiven, checkValues, type FieldErrors, isTooLong, type Matches, tooLong } from '../form/field-check.ts';
import type { FileReference } from '../form/file.ts';
import { findButton } from '../form/form-button.ts';
import type { Annotation } from './annotated-lines.ts';
import { wordsOf } from './annotation.ts';
import { describeAttachments, listAttachments, type NamedFile } from './attachment.ts';
import { titleOf } from './heading.ts';
import {
  type Action,
  type Actor,
  type ApprovalScope,
  defaultPrompt,
  type InteractionResponse,
  type InteractionType,
} from './interaction.ts';
import type { InteractionRequest } from './interaction-request.ts';
import { needsSeveral } from './quorum.ts';

/** A person's answer: the relevant members of `tool_interaction_response`. */
export interface Answer {
  readonly action: Action;
  readonly approvalScope?: ApprovalScope | undefined;
  /** Id of the rule that was chosen instead of the exact arguments (APR7). */
  readonly ruleId?: string | undefined;
  /** Id of the custom button that was pressed instead of submit (PLG11). */
  readonly button?: string | undefined;
  readonly input?: FormValues | undefined;
  readonly editedArgs?: Json | undefined;
  readonly reason?: string | undefined;
  /** Remarks on lines of the prompt's subject (REV1). */
  readonly annotations?: readonly Annotation[] | undefined;
  /** Attached files (REV6). */
  readonly files?: readonly NamedFile[] | undefined;
}

/** An answer with defaults filled in and empty fields dropped. */
export interface CompleteAnswer {
  readonly action: Action;
  readonly approvalScope?: ApprovalScope;
  readonly ruleId?: string;
  readonly button?: string;
  readonly input?: FormValues;
  readonly editedArgs?: Json;
  readonly reason?: string;
  readonly annotations?: readonly Annotation[];
  /** Attached files, which `ctx.openFile` reads (REV6). */
  readonly files?: readonly FileReference[];
}

/** A person's answer as hooks receive it, with secrets in the clear; the log never holds those (INT17). */
export interface InteractionAnswer extends CompleteAnswer {
  readonly interactionId: InteractionId;
  readonly by: Actor;
  /** ISO 8601 time of acceptance: the timestamp of its event. */
  readonly at: string;
}

/** Whether the result of a question is an answer, not a timeout or a value that a hook returned. */
export function isAnswer(said: unknown): said is InteractionAnswer {
  return isRecord(said) && typeof said.action === 'string';
}

const allowedActions: Record<InteractionType, readonly Action[]> = {
  approval: ['approve', 'deny', 'cancel'],
  input: ['submit', 'cancel'],
  url: ['approve', 'deny', 'cancel'],
};

/** Lists the actions that answer a prompt. */
export function listActions({ interactionType }: Pick<InteractionRequest, 'interactionType'>): readonly Action[] {
  return allowedActions[interactionType];
}

/**
 * Validates an answer against its prompt; forms and the server both use this (INT6).
 * @returns a sentence for each invalid field, and for the answer's own members under their names (`action`, `approvalScope`,
 * `ruleId`, `button`, `editedArgs`, `reason`, `input`); undefined if the answer is valid
 */
export function checkAnswer(request: InteractionRequest, answer: Answer, matches: Matches): FieldErrors | undefined {
  const errors = findFaults(request, answer, matches);
  return Object.keys(errors).length > 0 ? errors : undefined;
}

function findFaults(request: InteractionRequest, answer: Answer, matches: Matches): FieldErrors {
  const allowed = listActions(request);
  if (!allowed.includes(answer.action)) {
    return { action: `"${answer.action}" does not answer this prompt. What does: ${allowed.join(', ')}.` };
  }
  const beyond = needsSeveral(request) ? findExcess(answer) : undefined;
  if (beyond) return beyond;
  if (answer.ruleId !== undefined) {
    const fault = findRuleFault(request, answer);
    if (fault) return fault;
  } else if (answer.approvalScope !== undefined) {
    const scopes = listScopes(request, answer);
    if (!scopes.includes(answer.approvalScope))
      return { approvalScope: `"${answer.approvalScope}" was not offered.${nameOffered(scopes)}` };
  }
  if (answer.editedArgs !== undefined && !(request.editable && answer.action === 'approve')) {
    return { editedArgs: 'The arguments cannot be edited here.' };
  }
  if (answer.reason !== undefined && isTooLong(answer.reason)) return { reason: tooLong };
  if (needsReason(request, answer.action) && !hasVisible(answer.reason ?? '')) {
    return { reason: 'This answer must say why.' };
  }
  if (answer.button !== undefined) return findButtonFaults(request, answer, matches);
  if (answer.action === 'submit' && request.inputSchema) {
    return checkValues(request.inputSchema, completeValues(request.inputSchema, answer.input ?? {}), matches);
  }
  return answer.input === undefined ? {} : { input: `"${answer.action}" takes no input.` };
}

/**
 * Validates the press of a custom button: its input may be incomplete, because the person may not have reached the end of the
 * form (PLG11).
 */
function findButtonFaults(request: InteractionRequest, { action, button: id, input }: Answer, matches: Matches) {
  const button = action === 'submit' ? findButton(request, id) : undefined;
  if (!button) return { button: `"${id}" was not offered.` };
  if (button.keepsInput && request.inputSchema) return checkGiven(request.inputSchema, input ?? {}, matches);
  return input === undefined || Object.keys(input).length === 0 ? {} : { input: 'This button takes no input.' };
}

/**
 * Fills in the default scope (`once`) and unticked checkboxes, and drops empty fields (INT6, INT16). Secrets stay in the clear.
 */
export function completeAnswer(request: InteractionRequest, answer: Answer): CompleteAnswer {
  const { action, ruleId, button, input, editedArgs, reason, annotations = [] } = answer;
  const files = listAttachments(answer.files);
  const isApproval = action === 'approve' && request.interactionType === 'approval';
  const { inputSchema } = request;
  const isWhole = button === undefined; // a custom button may be pressed before the end of the form (PLG11)
  const given = input ?? {};
  return {
    action,
    ...(isApproval && { approvalScope: answer.approvalScope ?? 'once' }),
    ...(isApproval && ruleId !== undefined && { ruleId }),
    ...(action === 'submit' && button !== undefined && { button }),
    ...(action === 'submit' &&
      inputSchema && { input: withoutEmpty(isWhole ? completeValues(inputSchema, given) : given) }),
    ...(editedArgs !== undefined && { editedArgs }),
    ...(reason !== undefined && { reason }),
    ...(annotations.length > 0 && { annotations }),
    ...(files.length > 0 && { files }),
  };
}

/** Returns the answer as the log may hold it, with secrets redacted (INT17). */
export function withoutSecrets(
  { inputSchema }: Pick<InteractionRequest, 'inputSchema'>,
  { input, ...rest }: CompleteAnswer,
): CompleteAnswer {
  return { ...rest, ...(input && inputSchema && { input: cleanValues(inputSchema, input) }) };
}

/** Rejects wider consents and edits if several people must agree: each agrees only to what all of them saw, once (TEAM3). */
function findExcess({ approvalScope = 'once', ruleId, editedArgs }: Answer): FieldErrors | undefined {
  if (ruleId !== undefined) return { ruleId: 'No rule can be allowed where several people must agree.' };
  if (approvalScope !== 'once') return { approvalScope: 'Where several people must agree, it is for once.' };
  if (editedArgs === undefined) return undefined;
  return { editedArgs: 'The arguments cannot be edited where several people must agree.' };
}

/** Whether this answer must have a reason (TEAM5). */
export function needsReason({ reasonRequired }: Pick<InteractionRequest, 'reasonRequired'>, action: Action): boolean {
  return reasonRequired?.includes(action) ?? false;
}

function withoutEmpty(values: FormValues): FormValues {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => !isEmptyValue(value)));
}

/** Lists the scopes that are offered with this action. */
function listScopes({ interactionType, approvalScopes = [] }: InteractionRequest, { action }: Answer) {
  return action === 'approve' && interactionType === 'approval' ? approvalScopes : [];
}

function nameOffered(offered: readonly string[]): string {
  return offered.length === 0 ? '' : ` What was: ${offered.join(', ')}.`;
}

/** Validates the chosen rule: it must be offered with this scope, and cannot be combined with edited arguments (APR7). */
function findRuleFault(request: InteractionRequest, answer: Answer): FieldErrors | undefined {
  const { action, ruleId, approvalScope, editedArgs } = answer;
  const rule = action === 'approve' ? findRule(request, ruleId) : undefined;
  if (!rule) {
    const ids = action === 'approve' ? (request.rules ?? []).map(({ id }) => id) : [];
    return { ruleId: `"${ruleId}" was not offered.${nameOffered(ids)}` };
  }
  if (!rule.scopes.some((scope) => scope === approvalScope)) {
    const fault = `"${approvalScope ?? 'once'}" was not offered for this rule.`;
    return { approvalScope: `${fault}${nameOffered(rule.scopes)}` };
  }
  return editedArgs === undefined ? undefined : { editedArgs: 'A rule cannot be allowed for edited arguments.' };
}

/** Returns the rule of an approval with this id. */
export function findRule({ rules }: InteractionRequest, ruleId: string | undefined) {
  return rules?.find(({ id }) => id === ruleId);
}

/** Returns the text of the message that a late answer turns into: the prompt, then each label with its value (INT9). */
export function describeAnswer(request: InteractionRequest, response: InteractionResponse): string {
  const heading = request.prompt ?? titleOf(request) ?? defaultPrompt(request);
  return [heading, ...describeLines(request, response)].join('\n');
}

function describeLines(request: InteractionRequest, response: InteractionResponse): string[] {
  if (response.action !== 'submit') {
    const words = wordsOf(response);
    return [`${actionWords[response.action]}${words ? `: ${words}` : ''}`];
  }
  const { inputSchema } = request;
  if (!inputSchema) return [];
  const input = response.input ?? {};
  const button = findButton(request, response.button);
  const values = findVisibleFields(inputSchema, input)
    .filter((field) => !isEmptyValue(input[field.id]))
    .map((field) => `${labelOf(field)}: ${describeValue(field, input[field.id])}`);
  const attached = describeAttachments(response.files) ?? [];
  return [...(button ? [button.label] : []), ...values].concat(attached);
}

const actionWords: Record<Action, string> = {
  approve: 'Allowed',
  deny: 'Denied',
  submit: 'Submitted',
  cancel: 'Cancelled',
};
