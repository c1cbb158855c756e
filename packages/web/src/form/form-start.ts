import { type Chain, hasGivenValues, withoutRedacted } from '../prompt/chain.ts';
import { draftStore } from './draft-store.ts';
import { type FormInput, startInput } from './form-values.ts';

interface Start {
  readonly input: FormInput;
  /** Whether it holds what was typed in this tab. */
  readonly isTouched: boolean;
}

/** A form that is drawn for the first time: with this tab's draft, unless a later attempt chose other values (INT18). */
export function startFromDraft(chain: Chain, sessionId: string): Start {
  const draft = draftStore.read(sessionId, chain.root);
  const given = startFresh(chain);
  if (!draft) return given;
  const attempts = [...chain.steps, chain.current];
  const from = attempts.findIndex((attempt) => attempt.interactionId === draft.attempt);
  const isOverruled = attempts.some((attempt, n) => {
    const request = attempt.request?.payload;
    return n > from && n > 0 && request !== undefined && hasGivenValues(request, attempts[n - 1]);
  });
  return isOverruled && from >= 0 ? given : { input: { ...given.input, ...draft.input }, isTouched: true };
}

/** The next attempt took the card's place: what was typed stays, unless the tool chose other values (INT8). */
export function continueInput(chain: Chain, input: FormInput, isTouched: boolean): Start {
  const request = chain.current.request?.payload;
  const isKept = isTouched && request !== undefined && !hasGivenValues(request, chain.steps.at(-1));
  return isKept ? { input, isTouched } : startFresh(chain);
}

function startFresh({ current }: Chain): Start {
  const request = current.request?.payload;
  if (!request?.inputSchema) return { input: {}, isTouched: false };
  return { input: startInput(request.inputSchema, withoutRedacted(request.initialValues)), isTouched: false };
}
