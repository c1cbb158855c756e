import {
  type AnswerCommand,
  type AnswerReply,
  type ClientFrameOf,
  findPrompt,
  type InteractionRequest,
  needsStepUp,
  needsVotes,
  toVoter,
} from '@parleyhq/core';
import { type Client, newId, type SessionRuntime, type Transaction } from '@parleyhq/runtime';
import type { JudgedSignature } from '../auth/passkeys/step-up.ts';
import { onBehalfOf } from './on-behalf.ts';
import type { Services } from './services.ts';

/** The answering client, its session and the services needed. */
interface AnswerContext {
  readonly runtime: SessionRuntime;
  readonly client: Pick<Client, 'principal' | 'credential' | 'actor' | 'auditActor' | 'isEnabled'>;
  readonly services: Pick<Services, 'quotas' | 'voters' | 'stepUp' | 'files'>;
}

type AnswerFrame = ClientFrameOf<'tool_interaction_response'>;

const noStepUp: Partial<JudgedSignature> = {};

/**
 * Answers a prompt. The first response wins, or the vote that decides. The pure decision determines the order of the refusals
 * (INT4, INT5, TEAM3), so that outsiders learn nothing about a hidden call from them (TEAM1).
 */
export async function answer(context: AnswerContext, frame: AnswerFrame): Promise<AnswerReply> {
  const { runtime, client } = context;
  const answerId = frame.answerId ?? newId();
  const behalf = { ...onBehalfOf(context), by: client.auditActor }; // charged once, however often it is decided
  const { seq, events, votes } = await runtime.session.transact(() => prepareAnswer(context, frame, answerId, behalf));
  const [event] = events;
  const count = event?.type === 'interaction_vote' ? event.payload.votes : votes;
  return count ? { seq, vote: true, votes: count } : { seq };
}

/** Reads what the decision needs besides the head: the settled prompt, the files that the answer names, the votes. */
async function prepareAnswer(
  context: AnswerContext,
  frame: AnswerFrame,
  answerId: string,
  behalf: Pick<Transaction, 'credential' | 'spend' | 'by'>,
): Promise<Transaction> {
  const { runtime, client, services } = context;
  const { session, late } = runtime;
  const { callId, interactionId, digest, action, approvalScope, ruleId, button, editedArgs, reason, annotations } =
    frame;
  const { lineage } = session;
  const isOpen = () => findPrompt(session.head, interactionId) !== undefined;
  const wasOpen = isOpen();
  const past = wasOpen ? undefined : await session.reader.findPast(interactionId);
  const asked = findPrompt(session.head, interactionId)?.request ?? past?.request;
  const { input, files } = await services.files.complete(session, client.principal, asked, frame);
  const answer = { action, approvalScope, ruleId, button, input, editedArgs, reason, annotations, files };
  const { principal } = client;
  const given = { sessionId: session.id, principal, answer, answerId: frame.answerId, digest };
  const { assertion } = frame;
  const isDemanded = asked && !past && needsStepUp(asked, action);
  const { stepUp, passkey } = isDemanded
    ? await services.stepUp.judge({ ...given, request: asked, assertion })
    : noStepUp;
  const counted = await findVotes(context, interactionId, past?.request, answerId);
  return {
    command: {
      type: 'answer',
      callId,
      interactionId,
      answerId,
      digest,
      answer,
      by: client.actor,
      principal,
      stepUp,
      isOutsider: session.visibility.hides(client.principal, callId),
      isEnabled: client.isEnabled,
      past,
      ...counted,
      hasLateHook: late.has(interactionId) || (asked?.hasLateHook === true && runtime.turns.isAsleep(callId)),
    },
    isUpToDate: () => isOpen() === wasOpen && (wasOpen || session.lineage === lineage),
    ...behalf,
    passkey,
    matches: services.quotas.matcherOf(client.principal), // each decision has its own time budget
  };
}

/**
 * Returns what a count of votes needs besides the head: the vote already stored under this answerId, and the voters whose tokens
 * were revoked since.
 */
async function findVotes(
  { runtime: { session }, services }: AnswerContext,
  interactionId: string,
  past: InteractionRequest | undefined,
  answerId: string,
): Promise<Pick<AnswerCommand, 'pastVote' | 'revoked'>> {
  const prompt = findPrompt(session.head, interactionId);
  const request = prompt?.request ?? past;
  if (!request || !needsVotes(request)) return {};
  const voted = prompt?.votes?.map(toVoter) ?? [];
  const [pastVote, revoked] = await Promise.all([
    session.reader.findVote(interactionId, answerId),
    services.voters.findRevoked(voted),
  ]);
  return { pastVote, revoked };
}
