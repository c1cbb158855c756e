import {
  type Actor,
  type ChatEvent,
  cutText,
  describeClosing,
  describeResponse,
  type EventIndex,
  type InteractionRequest,
  nameOf,
  type PastPrompt,
  type PromptRef,
  requestKey,
  settlementKey,
  showHidden,
} from '@parleyhq/core';
import { nameWay } from './ways.ts';

/** In characters: a longer label of an option is truncated. */
const longestLabel = 200;

/** Reads a settled prompt from the log; undefined if it is open, or its session was deleted. @throws StoreError */
export async function readSettled(
  index: Pick<EventIndex, 'find'>,
  { sessionId, interactionId }: PromptRef,
): Promise<PastPrompt | undefined> {
  const texts = await index.find(sessionId, requestKey(interactionId), settlementKey(interactionId));
  const [request, settlement] = texts.map((text): ChatEvent => JSON.parse(text));
  if (request?.type !== 'interaction_request' || !settlement) return undefined;
  return { request: request.payload, settlement: settlement as PastPrompt['settlement'] };
}

/** Returns a prompt with the event that settled it; undefined if none of these did. */
export function findSettled(request: InteractionRequest, events: readonly ChatEvent[]): PastPrompt | undefined {
  const settlement = events.find(
    (event): event is PastPrompt['settlement'] =>
      (event.type === 'interaction_response' || event.type === 'interaction_closed') &&
      event.payload.interactionId === request.interactionId,
  );
  return settlement && { request, settlement };
}

/** Describes what became of a prompt: what, who and where, such as `Denied by ann, in Parley` (CHAT3). */
export function describeSettlement({ request, settlement }: PastPrompt): string {
  if (settlement.type === 'interaction_closed') return describeClosing(settlement.payload.reason);
  const { by, grantId, input } = settlement.payload;
  const what = describeResponse(request, settlement.payload);
  const choice = findChoice(request, input);
  const words = choice === undefined ? what : `Answered “${choice}”`;
  return grantId === undefined
    ? `${words} by ${showHidden(nameOf(by))}${whereOf(by)}`
    : `${words} by an earlier consent`;
}

/** Returns the label of the option that was chosen, if the form is one choice that everybody may see. */
function findChoice(
  { inputSchema, visibility }: InteractionRequest,
  input: Readonly<Record<string, unknown>> = {},
): string | undefined {
  const [field, ...others] = inputSchema?.fields ?? [];
  if (visibility !== undefined || !field?.options || others.length > 0) return undefined;
  const label = field.options.find(({ value }) => value === input[field.id])?.label;
  return label === undefined ? undefined : cutText(showHidden(label), longestLabel);
}

const transportWords: Readonly<Record<string, string>> = {
  ws: 'in Parley',
  http: 'in Parley',
  sse: 'in Parley',
  push: 'in a notification',
};

/** Describes where somebody answered. */
function whereOf({ transport, label }: Actor): string {
  const known = Object.hasOwn(transportWords, transport) ? transportWords[transport] : `in ${nameWay(transport)}`;
  return `, ${known}${label === undefined ? '' : ` (${showHidden(label)})`}`;
}
