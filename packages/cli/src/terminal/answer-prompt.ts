import {
  type Answer,
  type ApprovalScope,
  type FieldErrors,
  type FormButton,
  type FormSchema,
  type FormValues,
  type InputRequest,
  type InteractionRequest,
  isChoice,
  isEmptyValue,
  listActions,
  mayAnswer,
  type Principal,
  pickFitting,
} from '@parleyhq/core';
import { askForm, type FormStart } from './form-prompt.ts';
import { type Choice, LeftError, type Prompts } from './prompts.ts';

export interface AnswerStart {
  readonly principal: Principal;
  /** The previous answer, and the problems that the server found in it. */
  readonly last?: { readonly answer: Answer; readonly faults: FieldErrors } | undefined;
  say(text: string): void;
  readonly give: FormStart['give'];
  /** Address of the prompt on the page. */
  readonly page: string;
}

/** The first choice, so that Enter alone decides nothing: it may have been meant for what was on the screen a moment before. */
const later: Choice<undefined> = { value: undefined, label: 'Decide later' };

/** Asks a person for the answer to a prompt that was shown; undefined if they leave it open. @throws LeftError */
export async function askAnswer(
  request: InteractionRequest,
  start: AnswerStart,
  prompts: Prompts,
): Promise<Answer | undefined> {
  if (request.stepUp) return askRefusal(request, start, prompts);
  return request.interactionType === 'input' && request.inputSchema
    ? askInput(request, request.inputSchema, start, prompts)
    : askDecision(request, start.principal, prompts);
}

/** Asks whether a prompt that demands a passkey is refused: no terminal can ask for the passkey (SIGN2). */
async function askRefusal(
  request: InteractionRequest,
  { say, page }: AnswerStart,
  prompts: Prompts,
): Promise<Answer | undefined> {
  say(`Needs your passkey: anything but a no is answered on the page, ${page}`);
  const labels = { deny: 'Deny', cancel: 'Cancel the question' } as const;
  const refusals = listActions(request).filter((action) => action === 'deny' || action === 'cancel');
  const choices = refusals.map((action) => ({ value: { action } as Answer, label: labels[action] }));
  const answer = await prompts.choose<Answer | undefined>('Your answer', [later, ...choices]);
  return answer && addReason(request, answer, prompts);
}

async function askInput(
  { initialValues = {}, actions = [] }: InputRequest,
  form: FormSchema,
  { last, say, give }: AnswerStart,
  prompts: Prompts,
): Promise<Answer | undefined> {
  let values: FormValues = last?.answer.input ?? initialValues;
  let faults = last?.faults ?? {};
  for (;;) {
    const filled = await askForm(form, { values, faults, say, give }, prompts).catch((error: unknown) => {
      if (error instanceof LeftError && !prompts.isOver) return undefined;
      throw error;
    });
    values = filled ?? values;
    faults = {};
    const isShort = form.fields.length === 1 && actions.length === 0 && filled !== undefined && isTyped(form, filled);
    const step = isShort ? 'submit' : await askStep(form, { isFilled: filled !== undefined, actions }, prompts);
    if (typeof step === 'object') return press(step, form, values);
    if (step === 'submit') return { action: 'submit', input: values };
    if (step === 'cancel') return { action: 'cancel' };
    if (step === 'later') return undefined;
  }
}

/** Whether the only field was filled by typing: that was deliberate and needs no confirmation. */
function isTyped({ fields: [field] }: FormSchema, values: FormValues): boolean {
  return field !== undefined && !isChoice(field) && field.type !== 'checkbox' && !isEmptyValue(values[field.id]);
}

type Step = 'submit' | 'change' | 'cancel' | 'later' | FormButton;

/** Makes the answer for a button of the form's author; if it keeps the input, the valid values are sent with it (PLG11). */
function press({ id, keepsInput }: FormButton, form: FormSchema, values: FormValues): Answer {
  const input = keepsInput && pickFitting(form, values, () => true); // only the server runs untrusted patterns (SEC6)
  return { action: 'submit', button: id, ...(input && { input }) };
}

function askStep(
  form: FormSchema,
  { isFilled, actions }: { readonly isFilled: boolean; readonly actions: readonly FormButton[] },
  prompts: Prompts,
): Promise<Step> {
  const steps: Choice<Step>[] = [
    ...actions.map((button) => ({ value: button, label: button.label })),
    { value: 'change', label: isFilled ? 'Change something' : 'Back to the form' },
    { value: 'cancel', label: form.cancelLabel ?? 'Cancel the question' },
    { value: 'later', label: 'Decide later' },
  ];
  if (!isFilled) return prompts.choose('Leave the form?', steps);
  return prompts.choose('Send it?', [{ value: 'submit', label: form.submitLabel ?? 'Submit' }, ...steps]);
}

const scopeWords: Record<ApprovalScope, string> = {
  once: 'Allow once',
  session: 'Allow for this session',
  always: 'Always allow',
};

async function askDecision(
  request: InteractionRequest,
  principal: Principal,
  prompts: Prompts,
): Promise<Answer | undefined> {
  const { interactionType, approvalScopes = ['once'], rules = [] } = request;
  const may = (scope: ApprovalScope) => mayAnswer(principal, request, scope);
  const yes: Choice<Answer>[] =
    interactionType === 'url'
      ? [{ value: { action: 'approve' }, label: 'I opened it' }]
      : [
          ...approvalScopes.filter(may).map((scope) => ({
            value: { action: 'approve', approvalScope: scope } as const,
            label: scopeWords[scope],
          })),
          ...rules.flatMap(({ id, label, scopes }) =>
            scopes.filter(may).map((scope) => ({
              value: { action: 'approve', approvalScope: scope, ruleId: id } as const,
              label: `${scopeWords[scope]}: ${label}`,
            })),
          ),
        ];
  const answer = await prompts.choose<Answer | undefined>('Your answer', [
    later,
    ...yes,
    { value: { action: 'deny' }, label: 'Deny' },
    { value: { action: 'cancel' }, label: 'Cancel the question' },
  ]);
  return answer && addReason(request, answer, prompts);
}

/** Asks for the reason of a denial, or of an answer that must have one. */
async function addReason(request: InteractionRequest, answer: Answer, prompts: Prompts): Promise<Answer> {
  const isNeeded = request.reasonRequired?.some((action) => action === answer.action) ?? false;
  if (answer.action !== 'deny' && !isNeeded) return answer;
  const message = isNeeded ? 'Why?' : 'Why? (may be left empty)';
  const check = (text: string) => (isNeeded && text.trim() === '' ? 'This answer needs a reason.' : undefined);
  const reason = (await prompts.askText({ message, check })).trim();
  return reason === '' ? answer : { ...answer, reason };
}
