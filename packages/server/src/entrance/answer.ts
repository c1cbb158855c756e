import {
  type AnswerCommand,
  type AnswerReply,
  type ClientFrameOf,
  findCall,
  findPrompt,
  type InteractionRequest,
  needsVotes,
  RefusalError,
} from '@parleyhq/core';
import { sealSecrets } from '../call/sealed-secrets.ts';
import { giverRecords } from '../grant/grant-from-answer.ts';
import type { WorkingSession } from '../hub/working-session.ts';
import { newId } from '../node/new-id.ts';
import { VoterGoneError } from '../session/undone.ts';
import type { Client } from '../tabs/client.ts';
import { behalfOf } from './behalf.ts';
import type { Services } from './services.ts';

/** The answering client, its session and the services needed. */
interface AnswerContext {
  readonly live: WorkingSession;
  readonly client: Pick<Client, 'principal' | 'credential' | 'actor' | 'witness' | 'isEnabled'>;
  readonly services: Pick<Services, 'grants' | 'quotas' | 'voters' | 'sealing' | 'files'>;
}

type AnswerFrame = ClientFrameOf<'tool_interaction_response'>;

/**
 * Answers a prompt. The first response wins, or the vote that decides. The pure decision determines the order of the refusals
 * (INT4, INT5, TEAM3), so that outsiders learn nothing about a hidden call from them (TEAM1).
 */
export async function answer(context: AnswerContext, frame: AnswerFrame): Promise<AnswerReply> {
  const answerId = frame.answerId ?? newId();
  for (;;) {
    try {
      return await performAnswer(context, frame, answerId);
    } catch (error) {
      if (!(error instanceof VoterGoneError)) throw error; // count again without the voters whose tokens were revoked meanwhile
    }
  }
}

async function performAnswer(context: AnswerContext, frame: AnswerFrame, answerId: string): Promise<AnswerReply> {
  const { live, client, services } = context;
  const { session, late } = live;
  const { callId, interactionId, digest, action, approvalScope, ruleId, button, editedArgs, reason } = frame;
  const { seq: known } = session.row;
  const isOpen = findPrompt(session.head, interactionId) !== undefined;
  const past = isOpen ? undefined : await session.reader.findPast(interactionId);
  const asked = findPrompt(session.head, interactionId)?.request ?? past?.request;
  const input = await services.files.complete(session, client.principal, asked, frame.input);
  const counted = await findVotes(context, interactionId, past?.request, answerId);
  if (isOpen && !findPrompt(session.head, interactionId)) return performAnswer(context, frame, answerId); // settled meanwhile
  const performing = session.perform(
    {
      type: 'answer',
      callId,
      interactionId,
      answerId,
      digest,
      answer: { action, approvalScope, ruleId, button, input, editedArgs, reason },
      by: client.actor,
      principal: client.principal,
      isOutsider: session.visibility.hides(client.principal, callId),
      isEnabled: client.isEnabled,
      past,
      ...counted,
      hasLateHook: late.has(interactionId) || (asked?.hasLateHook === true && live.turns.isAsleep(callId)),
    },
    {
      by: client.witness,
      ...behalfOf(context),
      matches: services.quotas.matcherOf(client.principal),
      consentOf: (given) => ({
        grants: services.grants.ofAnswer(session, given),
        records: findCall(session.head, callId) // an ended call keeps no records
          ? [...giverRecords(given, client.credential ?? {}), ...sealSecrets(services.sealing, session, given)]
          : [],
      }),
    },
  );
  const performed = await performing.catch((error: unknown) => {
    const isNews = past === undefined && session.row.seq > known;
    if (isNews && error instanceof RefusalError && error.code === 'not_found') return undefined;
    throw error;
  });
  if (!performed) return performAnswer(context, frame, answerId); // another node opened or settled it meanwhile (OPS4)
  const { seq, events, votes } = performed;
  const [event] = events;
  const count = event?.type === 'interaction_vote' ? event.payload.votes : votes;
  return count ? { seq, vote: true, votes: count } : { seq };
}

/**
 * Returns what a count of votes needs besides the head: the vote already stored under this answerId, and the voters whose tokens
 * were revoked since.
 */
async function findVotes(
  { live: { session }, services }: AnswerContext,
  interactionId: string,
  past: InteractionRequest | undefined,
  answerId: string,
): Promise<Pick<AnswerCommand, 'pastVote' | 'revoked'>> {
  const prompt = findPrompt(session.head, interactionId);
  const request = prompt?.request ?? past;
  if (!request || !needsVotes(request)) return {};
  const voted = prompt?.votes?.map(({ by }) => by.principal) ?? [];
  const [pastVote, revoked] = await Promise.all([
    session.reader.findVote(interactionId, answerId),
    services.voters.findRevoked(voted),
  ]);
  return { pastVote, revoked };
}
