import {
  type CallResult,
  describeAnnotations,
  describeAttachments,
  type FileReference,
  type InteractionResponse,
} from '@parleyhq/core';

const verbs: Record<InteractionResponse['action'], string> = {
  approve: 'said yes',
  deny: 'said no',
  cancel: 'cancelled',
  submit: 'answered',
};

/**
 * Describes for the model what people said when they answered a call's prompts (APR5): reasons and
 * annotations that the result does not contain, names of attached files, and edited arguments, which the model could not know. Answers by a grant are left out.
 * @param files - those attached to all answers, also to ones that were asked again
 */
export function noteOf(
  answers: readonly InteractionResponse[],
  files: readonly FileReference[],
  returned: CallResult,
): string | undefined {
  const own = answers.filter(({ grantId }) => grantId === undefined);
  const known = JSON.stringify(returned);
  const isNew = (words: string | undefined): words is string =>
    words !== undefined && !known.includes(JSON.stringify(words).slice(1, -1));
  const lines = own.flatMap(({ action, reason, annotations, files: attached, editedArgs }) => [
    ...(action === 'approve' && editedArgs !== undefined
      ? [`A person changed the arguments before they said yes, to ${JSON.stringify(editedArgs)}`]
      : []),
    ...(isNew(reason) ? [`A person ${verbs[action]}: “${reason}”`] : []),
    ...[describeAnnotations(annotations)]
      .filter(isNew)
      .map((words) => `A person annotated what was shown:\n\n${words}`),
    ...[describeAttachments(attached)].filter(isNew),
  ]);
  const named = new Set(own.flatMap((answer) => answer.files ?? []).map(({ fileId }) => fileId));
  const earlier = describeAttachments(files.filter(({ fileId }) => !named.has(fileId)));
  const all = [...(isNew(earlier) ? [earlier] : []), ...lines];
  return all.length > 0 ? all.join('\n') : undefined;
}
