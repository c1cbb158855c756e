import type { ChatEvent, EventStore, Head, SessionId } from '@parleyhq/core';
import { Coalesced } from './coalesced.ts';
import { toRefusal } from './storage-refusal.ts';

/** The log of a session, as its writer knows it. */
interface WrittenLog {
  readonly id: SessionId;
  /** Returns the stored state. */
  readonly stored: () => { readonly head: Head };
  readonly isAppending: () => boolean;
  /** Resolves when everything decided so far is stored, or rejects. */
  readonly flushed: () => Promise<void>;
  /** Adds an event that the writer did not append. */
  readonly takeOver: (event: ChatEvent, text: string) => void;
}

/** The events that other nodes append to a session's log (OPS4): its writer takes them over in the order of the log. */
export class MissedEvents {
  readonly #log: WrittenLog;
  readonly #events: Pick<EventStore, 'read'> | undefined;
  readonly #reading = new Coalesced(() => this.#read());
  #count = 0;

  /** @param events - undefined if nobody else appends, so that no event is ever missed */
  constructor(log: WrittenLog, events: Pick<EventStore, 'read'> | undefined) {
    this.#log = log;
    this.#events = events;
  }

  /** Whether somebody else may append, and so settle prompts. */
  get arePossible(): boolean {
    return this.#events !== undefined;
  }

  /** Number of events taken over. */
  get count(): number {
    return this.#count;
  }

  /** The running read, if any. */
  get underWay(): Promise<void> | undefined {
    return this.#reading.underWay;
  }

  /** Takes over everything that is stored, before anything else is decided. @throws RefusalError if it cannot be read */
  async read(): Promise<void> {
    if (this.#events) await this.#reading.run().catch((fault: unknown) => Promise.reject(toRefusal(fault)));
  }

  /** Takes over one event at a time, because each answer is published with its own change. */
  add(event: ChatEvent, text: string): void {
    this.#count += 1;
    this.#log.takeOver(event, text);
  }

  async #read(): Promise<void> {
    const { id, stored, isAppending, flushed } = this.#log;
    for (;;) {
      await flushed().catch(() => undefined); // whoever performed it handles its failure
      const before = stored();
      const texts: string[] = [];
      for await (const chunk of this.#events?.read(id, before.head.seq) ?? []) texts.push(...chunk);
      if (isAppending() || stored() !== before) continue; // some of the events may be our own
      for (const text of texts) this.add(JSON.parse(text), text);
      return;
    }
  }
}
