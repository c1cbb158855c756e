import {
  type GivenAnswer,
  type Head,
  type InteractionAnswer,
  type InteractionId,
  type InteractionRequest,
  type InteractionResponse,
  isRecord,
  type JournalRecord,
  type Json,
  RefusalError,
  type SessionId,
  type Store,
  secretFields,
} from '@parleyhq/core';
import type { SecretExchange } from '../node/secret-exchange.ts';

/** Whether a field was filled that is never stored. */
export function holdsSecrets(request: InteractionRequest, { input }: Pick<InteractionResponse, 'input'>): boolean {
  return secretFields(request).some((id) => input?.[id] !== undefined);
}

/**
 * Returns the record that carries secret input to the node that runs the call: encrypted for that node and deleted with the
 * call's result (INT17). Empty if this node runs the call or nothing secret was typed.
 * @throws RefusalError `retry_later` if that node does not respond: nothing is stored, and another node will run the call soon
 */
export function sealSecrets(
  secretExchange: SecretExchange,
  { id, head, isOwned }: { readonly id: SessionId; readonly head: Head; readonly isOwned: boolean },
  { request, answer }: GivenAnswer,
): readonly JournalRecord[] {
  if (isOwned || !holdsSecrets(request, answer)) return [];
  const values = Object.fromEntries(
    secretFields(request).flatMap((field): [string, Json][] => {
      const value = answer.input?.[field];
      return value === undefined ? [] : [[field, value]];
    }),
  );
  const { toolCallId, interactionId } = request;
  const sealed = secretExchange.seal(head.turn?.owner ?? '', values, placeOf(id, interactionId));
  if (sealed === undefined)
    throw new RefusalError('retry_later', {
      message: 'The node that runs this turn does not respond. Try again soon.',
    });
  return [{ toolCallId, key: keyOf(interactionId), value: sealed }];
}

/** Adds the secrets to an answer. @returns undefined if they were encrypted for another process */
export async function unsealAnswer(
  { secretExchange, store }: { readonly secretExchange: SecretExchange; readonly store: Pick<Store, 'index'> },
  id: SessionId,
  { toolCallId, interactionId }: InteractionRequest,
  answer: InteractionAnswer,
): Promise<InteractionAnswer | undefined> {
  const records = await store.index.records(id, toolCallId);
  const sealed = records.find(({ key }) => key === keyOf(interactionId))?.value;
  const values = secretExchange.open(sealed, placeOf(id, interactionId));
  if (!isRecord(values)) return undefined;
  return { ...answer, input: { ...answer.input, ...(values as Record<string, Json>) } };
}

function keyOf(interactionId: InteractionId): string {
  return `sealed:${interactionId}`;
}

function placeOf(sessionId: SessionId, interactionId: InteractionId): string {
  return `${sessionId} ${interactionId}`;
}
