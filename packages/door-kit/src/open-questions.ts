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

/** How many questions that were decided last are remembered. */
const maxDecided = 1000;

/** The questions of a door that wait for people, each as long as the request that asks it. */
export class OpenQuestions {
  readonly #open = new Map<string, AbortController>();
  /** The places of those that people have decided. */
  readonly #decided = new Map<string, Pick<DoorCall, 'channel' | 'title' | 'from'>>();

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
      if (!isRecord(outcome?.result)) return {};
      this.#remember(name, call);
      return { result: outcome.result };
    } finally {
      if (this.#open.get(name) === withdrawn) this.#open.delete(name); // otherwise it was asked again
    }
  }

  /**
   * Closes a question. If people have decided it already, the session says that this did not count (ASK9).
   * @param note - why, for people
   */
  async withdraw(context: CallerContext, id: string, note: string): Promise<void> {
    const name = nameOf(context, id);
    this.#open.get(name)?.abort(note);
    const place = this.#decided.get(name);
    if (!this.#decided.delete(name) || !place) return;
    const text = `${note.replace(/\.$/, '')}: the answer given here came too late.`;
    await context.call({ ...place, toolName: 'tell_human', args: { text } });
  }

  #remember(name: string, { channel, title, from }: DoorCall): void {
    this.#decided.set(name, { channel, ...(title !== undefined && { title }), from });
    const [oldest] = this.#decided.keys();
    if (this.#decided.size > maxDecided && oldest !== undefined) this.#decided.delete(oldest);
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
