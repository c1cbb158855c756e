import type { SentAnswer, SessionClient } from '@parleyhq/client';

/**
 * Waits for the result of the answer that is about to be sent.
 * @returns the answer, with the error if it was refused; undefined if an earlier answer is still being sent
 */
export function watchAnswer(session: SessionClient, interactionId: string): Promise<Outcome | undefined> {
  const find = () => session.answers.get(interactionId);
  if (find()?.status === 'sending') return Promise.resolve(undefined);
  return new Promise((resolve) => {
    let sent: SentAnswer | undefined;
    const stop = session.subscribe(() => {
      const now = find();
      if (now?.status === 'sending') sent = now;
      else if (sent) {
        stop();
        resolve({ answer: sent.answer, error: now?.error });
      }
    });
  });
}

interface Outcome {
  readonly answer: SentAnswer['answer'];
  readonly error: Error | undefined;
}
