import { setMaxListeners } from 'node:events';
import type { SessionClient } from '@parleyhq/client';
import {
  type Answer,
  type Field,
  type FieldErrors,
  type InteractionRequest,
  isRecord,
  type Principal,
  RefusalError,
  type Tally,
} from '@parleyhq/core';
import type { ServerHttp } from '../running-server/server-http.ts';
import { askAnswer } from '../terminal/answer-prompt.ts';
import { describeOwnVote } from '../terminal/prompt-words.ts';
import { LeftError, Prompts } from '../terminal/prompts.ts';
import { until } from './event-feed.ts';

export interface Answering {
  readonly session: SessionClient;
  readonly request: InteractionRequest;
  readonly principal: Principal;
  /** Prints a line between the form's questions. */
  say(text: string): void;
  readonly http: Pick<ServerHttp, 'upload' | 'pageOf'>;
}

/** `left`: the prompt stays open; `over`: it was settled, here or elsewhere. */
export type Answered = 'left' | 'over';

/** Asks the person at the terminal for an answer and sends it, until the server accepts it or somebody else answers first. */
export async function answerAtTerminal({ session, request, principal, say, http }: Answering): Promise<Answered> {
  const settled = new AbortController();
  setMaxListeners(0, settled.signal); // each question of a form listens to it
  const isOpen = () =>
    session.state.phase !== 'gone' &&
    session.state.head.prompts.some(
      ({ request: { interactionId }, state }) => interactionId === request.interactionId && state !== 'expired',
    );
  const stop = session.subscribe(() => isOpen() || settled.abort());
  const place = { sessionId: session.sessionId, interaction: request };
  const give = ({ id }: Field, path: string) => http.upload(place, id, path);
  let last: { answer: Answer; faults: FieldErrors } | undefined;
  try {
    for (;;) {
      const answer = await askAnswer(
        request,
        { principal, last, say, give, page: http.pageOf(place) },
        new Prompts(settled.signal),
      );
      if (!answer) return 'left';
      const { refusal, votes } = await send(session, request, answer);
      if (votes) {
        say(describeOwnVote(request, answer, votes));
        return isOpen() ? 'left' : 'over';
      }
      if (!refusal) {
        await until(session, () => !isOpen()); // its event may come after the reply
        return 'over';
      }
      last = { answer, faults: faultsOf(refusal) };
      for (const words of wordsOf(refusal, request)) say(words);
      if (refusal.code !== 'invalid') return isOpen() ? 'left' : 'over';
    }
  } catch (error) {
    if (!(error instanceof LeftError)) throw error;
    return settled.signal.aborted ? 'over' : 'left';
  } finally {
    stop();
  }
}

async function send(
  session: SessionClient,
  request: InteractionRequest,
  answer: Answer,
): Promise<{ readonly refusal?: RefusalError; readonly votes?: Tally | undefined }> {
  try {
    return { votes: (await session.respond(request, answer))?.votes };
  } catch (error) {
    if (error instanceof RefusalError) return { refusal: error };
    throw error;
  }
}

function faultsOf({ details }: RefusalError): FieldErrors {
  return isRecord(details) && isRecord(details.fieldErrors) ? (details.fieldErrors as FieldErrors) : {};
}

/** The messages to print for a refusal, without the problems of fields: those are shown when the fields are asked again. */
function wordsOf(refusal: RefusalError, { inputSchema }: InteractionRequest): readonly string[] {
  const fields = new Set(inputSchema?.fields.map(({ id }) => id));
  const others = Object.entries(faultsOf(refusal)).filter(([id]) => !fields.has(id));
  return [refusal.message, ...others.map(([id, fault]) => `${id}: ${fault}`)];
}
