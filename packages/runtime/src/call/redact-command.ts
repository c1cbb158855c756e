import {
  type CallResult,
  type Command,
  type Field,
  type FormSchema,
  type PromptDraft,
  toolErrorCodes,
} from '@parleyhq/core';
import type { Secrets } from '../log/secrets.ts';

/**
 * Removes the call's secrets from a command. Types, ids and references stay as they are, even if they equal somebody's secret.
 */
export function redactCommand(secrets: Secrets, command: Command): Command {
  if (secrets.isEmpty) return command;
  switch (command.type) {
    case 'ask':
    case 'reprompt':
      return { ...command, draft: redactDraft(secrets, command.draft) };
    case 'return':
      return { ...command, returned: redactReturned(secrets, command.returned) };
    case 'retract':
      return { ...command, note: command.note === undefined ? undefined : secrets.redact(command.note) };
    case 'comment':
      return { ...command, comment: { ...command.comment, text: secrets.redact(command.comment.text) } };
    case 'defer':
      return { ...command, message: secrets.redact(command.message) };
    default:
      return command; // carries nothing that the call wrote
  }
}

const ownCodes: ReadonlySet<string> = new Set(toolErrorCodes);

/** Removes secrets from a result and marks it if there were any. References to files stay. */
export function redactReturned(secrets: Secrets, returned: CallResult): CallResult {
  const { files, ...said } = returned;
  const clean = { ...redactParts(secrets, said), ...(files && { files }) };
  return secrets.occursIn(said) ? { ...clean, isRedacted: true } : clean;
}

function redactReason(secrets: Secrets, { reason, ...authorised }: NonNullable<CallResult['authorised']>) {
  return { ...authorised, ...(reason !== undefined && { reason: secrets.redact(reason) }) };
}

function redactParts(secrets: Secrets, returned: CallResult): CallResult {
  const { note, grantId, rule, authorised } = returned;
  const extra = {
    ...(authorised && { authorised: redactReason(secrets, authorised) }),
    ...(note !== undefined && { note: secrets.redact(note) }),
    ...(grantId !== undefined && { grantId }),
    ...(rule !== undefined && { rule: secrets.redact(rule) }),
  };
  if ('result' in returned) return { result: secrets.redact(returned.result), ...extra };
  const { code, message } = returned.error;
  const error = { code: ownCodes.has(code) ? code : secrets.redact(code), message: secrets.redact(message) };
  return { error, ...extra };
}

/** Redacts what is shown or filled in beforehand. A slot stays: by it a handler finds its question again (DUR5). */
function redactDraft<Draft extends PromptDraft>(secrets: Secrets, draft: Draft): Draft {
  const { title, prompt, subject, url, error, fieldErrors, initialValues, args, grantKey, completedView } = draft;
  const { inputSchema } = draft;
  const texts = { title, prompt, url, error, fieldErrors, initialValues, args, grantKey, completedView };
  const clean = secrets.redactTexts(Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== undefined)));
  return {
    ...draft,
    ...clean,
    ...(subject && { subject: { ...secrets.redactTexts(subject), kind: subject.kind } }),
    ...(inputSchema && { inputSchema: redactForm(secrets, inputSchema) }),
  };
}

function redactForm(secrets: Secrets, form: FormSchema): FormSchema {
  const { sections, submitLabel, cancelLabel } = form;
  const clean = secrets.redactTexts({ submitLabel, cancelLabel });
  return {
    ...form,
    fields: form.fields.map((field) => redactField(secrets, field)),
    ...(submitLabel !== undefined && { submitLabel: clean.submitLabel }),
    ...(cancelLabel !== undefined && { cancelLabel: clean.cancelLabel }),
    ...(sections && {
      sections: sections.map(({ id, fields, ...shown }) => ({ id, fields, ...secrets.redactTexts(shown) })),
    }),
  };
}

function redactField(secrets: Secrets, field: Field): Field {
  const { id, type, format, when } = field;
  return {
    ...secrets.redactTexts(field),
    id,
    type,
    ...(format !== undefined && { format }),
    ...(when && { when: { ...secrets.redactTexts(when), field: when.field } }),
  };
}
