import type { SentAnswer } from '@parleyhq/client';
import {
  type Annotation,
  canonicalise,
  describeValue,
  type Field,
  type FormSchema,
  findVisibleFields,
  type InteractionRequest,
  type InteractionResponse,
  type Json,
  labelOf,
} from '@parleyhq/core';
import { commentDraftKey, draftStore, type FormInput } from '../browser/draft-store.ts';
import { startFresh } from '../form/form-start.ts';
import { readInput } from '../form/form-values.ts';
import { isSelf, type Self } from '../ui/actor.ts';
import { readComments } from './approval-draft.ts';
import type { Chain } from './chain.ts';
import { describeAnswer } from './receipt.ts';
import { findOwnVote } from './team.ts';

/**
 * Returns the answer given here that was not used, or what was entered but not sent when the prompt ended, so that it can be
 * copied; empty if there is none (INT5).
 */
export function describeLost(chain: Chain, sent: SentAnswer | undefined, draftKey: string, self: Self): string {
  const answer = describeUnsent(chain, sent, draftKey, self);
  const comment = draftStore.read(commentDraftKey(draftKey))?.input.text;
  const isReason = comment === chain.current.response?.payload.reason;
  return [answer, isReason ? undefined : comment].filter(Boolean).join('\n');
}

/** Describes what was not sent or, for an approval, was sent and refused; a form's draft has both. */
function describeUnsent(chain: Chain, sent: SentAnswer | undefined, draftKey: string, self: Self): string {
  const request = chain.current.request.payload;
  const isRefused = sent?.status === 'refused';
  const entered = isRefused && request.interactionType !== 'input' ? '' : describeDraft(chain, draftKey, self);
  if (entered || !isRefused) return entered;
  const { reason, annotations } = sent.answer;
  return [describeAnswer(request, sent.answer), reason, ...listWords(annotations)].filter(Boolean).join(', ');
}

function describeDraft({ steps, current }: Chain, draftKey: string, self: Self): string {
  const draft = draftStore.read(draftKey);
  const attempts = [...steps, current];
  const from = attempts.findIndex(({ interactionId }) => interactionId === draft?.attempt);
  if (!draft || from < 0 || findOwnVote(current, self.principal)) return '';
  const request = current.request.payload;
  const own = attempts.slice(from).find(({ response }) => response && isSelf(response.payload.by, self));
  if (own?.response) return request.inputSchema ? '' : describeApproval(findUnsaid(draft.input, own.response.payload));
  return request.inputSchema ? describeForm(request, request.inputSchema, draft.input) : describeApproval(draft.input);
}

/** Describes what differs from the form's initial values: a single value, or each with its label. */
function describeForm(request: InteractionRequest, form: FormSchema, input: FormInput): string {
  const values = readInput(form, input);
  const begun = readInput(form, startFresh(request));
  const isOwn = ({ id }: Field) => values[id] !== undefined && canonicalise(values[id]) !== canonicalise(begun[id]);
  const own = findVisibleFields(form, values).filter(isOwn);
  return own
    .map((field) => (own.length > 1 ? `${labelOf(field)}: ` : '') + describeValue(field, values[field.id]))
    .join('\n');
}

/** Returns what was entered on a card and is not in the answer that this person gave elsewhere, such as for several at once. */
function findUnsaid(
  { reason, comments }: FormInput,
  said: Pick<InteractionResponse, 'reason' | 'annotations'>,
): FormInput {
  const known = new Set(said.annotations?.map((each) => canonicalise(each)));
  const isSaid = typeof reason === 'string' && (said.reason ?? '').includes(reason.trim());
  const left = readComments(comments).filter((each) => !known.has(canonicalise(each)));
  return { ...(!isSaid && reason !== undefined && { reason }), comments: left as unknown as Json };
}

/** Describes the reason, the arguments if they were edited, and what was said about lines. */
function describeApproval({ reason, edited, comments }: FormInput): string {
  const words = [reason, edited, ...listWords(readComments(comments))];
  return words.filter((text) => typeof text === 'string' && text.trim() !== '').join('\n');
}

/** Returns what was said about lines: comments, and what the lines should be instead. */
function listWords(annotations: readonly Annotation[] = []) {
  return annotations.flatMap(({ comment, replacement }) => [comment, replacement]);
}
