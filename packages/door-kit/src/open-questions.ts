import { createHash } from 'node:crypto';
import { type CallerContext, type DoorCall, isRecord } from '@parleyhq/core';

/** Why the request of a question ended without an answer. */
const stopped =
  'The server has stopped waiting for the answer, because it stops. The question is asked again when it is back.';

/** Refuses whoever may not ask people here, before there is a question. @throws RefusalError `forbidden` */
export function requireAsking({ caller: { role }, refuse }: CallerContext): void {
  if (role === 'asker' || role === 'operator') return;
  throw refuse('forbidden', `This is the token of a ${role}, and may not ask here.`);
}

/** The questions of a door that wait for people, each as long as the request that asks it. */
export class OpenQuestions {
  readonly #open = new Map<string, AbortController>();

  /**
   * Makes the call that asks people.
   * @param id - the caller's own id of the question
   * @returns `{ result }` if people have decided, `{}` if they will not
   * @throws RefusalError `retry_later` if the server stops first: the next one is asked again
   */
  async ask(context: CallerContext, id: string, call: DoorCall): Promise<object> {
    const name = nameOf(context, id);
    const withdrawn = new AbortController();
    this.#open.set(name, withdrawn);
    try {
      const outcome = await context.call({ ...call, signal: withdrawn.signal });
      if (!outcome && context.signal.aborted) throw context.refuse('retry_later', stopped);
      return isRecord(outcome?.result) ? { result: outcome.result } : {};
    } finally {
      if (this.#open.get(name) === withdrawn) this.#open.delete(name); // otherwise it was asked again
    }
  }

  /** @param note - why, for people */
  withdraw(context: CallerContext, id: string, note: string): void {
    this.#open.get(nameOf(context, id))?.abort(note);
  }
}

/** A question belongs to whoever asks it. */
function nameOf({ caller }: CallerContext, question: string): string {
  return JSON.stringify([caller.id, question]);
}

/** Names the channel for a session of a program: there is one session here for each. */
export function nameChannel(program: string, session: string): string {
  const isName = /^[\w.:-]{1,60}$/.test(session);
  return `${program}:${isName ? session : createHash('sha256').update(session).digest('hex').slice(0, 40)}`;
}
