import type { SentAnswer, SessionClient } from '@parleyhq/client';

/**
 * Waits for what becomes of the answer that is about to be sent.
 * @returns the answer and why it was refused, if it was; undefined where an earlier one is still on its way
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
