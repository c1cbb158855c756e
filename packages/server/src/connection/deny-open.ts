import {
  type AnswerCommand,
  type ClientFrameOf,
  type Head,
  hasVisible,
  type OpenPrompt,
  type Payload,
  type TurnId,
  toVoter,
} from '@parleyhq/core';
import type { Transaction } from '@parleyhq/runtime';
import { type SessionContext, sendOnce } from './session-frames.ts';

/** Denies every open prompt of the turn with the words of a message, and sends the message, in one append (REV5). */
export function denyOpen(context: SessionContext, frame: ClientFrameOf<'deny_open'>): Promise<object> {
  return sendOnce(context, frame, (message) => prepare(context, message, frame.turnId));
}

async function prepare(
  { runtime: { session }, client, services }: SessionContext,
  message: Payload<'user_message'>,
  turnId: TurnId | undefined,
): Promise<Transaction> {
  const isSeen = ({ request }: OpenPrompt) => !session.visibility.hides(client.principal, request.toolCallId);
  const find = () => listOpen(session.head, turnId).filter(isSeen);
  const prompts = find();
  const voted = prompts.flatMap(({ votes = [] }) => votes.map(toVoter));
  const revoked = await services.voters.findRevoked(voted);
  const isSame = () => {
    const now = find();
    return now.length === prompts.length && now.every((prompt, at) => prompt === prompts[at]);
  };
  const answers = prompts.map(
    ({ request }): AnswerCommand => ({
      type: 'answer',
      callId: request.toolCallId,
      interactionId: request.interactionId,
      answerId: `${message.messageId}:${request.interactionId}`,
      digest: request.digest,
      answer: {
        action: request.interactionType === 'input' ? 'cancel' : 'deny',
        ...(hasVisible(message.text) && { reason: message.text }),
      },
      by: client.actor,
      principal: client.principal,
      isEnabled: client.isEnabled,
      revoked,
    }),
  );
  return { command: { type: 'deny_all', answers, message }, by: client.auditActor, isUpToDate: isSame };
}

/** Returns the prompts of a turn that can be answered now, by default the running one; pending ones belong to calls that went on. */
function listOpen({ turn, prompts }: Head, turnId = turn?.turnId): readonly OpenPrompt[] {
  return prompts.filter((prompt) => prompt.state === 'open' && prompt.turnId === turnId);
}
