import {
  describeClosing,
  describeResponse,
  type InteractionResponse,
  type Json,
  type LoadedPrompt,
  nameOf,
  type Payload,
  templateName,
} from '@parleyhq/core';

/** Describes in a few words why a prompt ended without an answer. */
export function describeEnding({ reason, replacedBy, note }: Payload<'interaction_closed'>): string {
  if (note !== undefined) return 'Withdrawn'; // the note says why
  return reason === 'timeout' && replacedBy !== undefined ? 'Timed out and asked again' : describeClosing(reason);
}

/** Describes an earlier attempt in a few words. */
export function describeStep(step: LoadedPrompt): string {
  const ending = step.response
    ? describeResponse(step.request.payload, step.response.payload)
    : step.closed
      ? describeEnding(step.closed.payload)
      : 'Asked again';
  return `Attempt ${step.request.payload.attempt}: ${ending}`;
}

/** Fills in `summaryTemplate` as plain text: an unknown name is empty, a secret is dots (WEB1). */
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
    by: by.label === undefined ? nameOf(by) : `${nameOf(by)} (${by.label})`,
  };
  return template.replace(templateName, (_, name: string) => {
    if (!name.startsWith('input.')) return Object.hasOwn(names, name) ? (names[name] ?? '') : '';
    const id = name.slice('input.'.length);
    const value = Object.hasOwn(input, id) ? input[id] : undefined;
    return value === undefined ? '' : describe(id, value);
  });
}
