import type { SessionId } from '@parleyhq/core';
import type { Request } from './request-queue.ts';

export type AnswerFrame = Extract<Request, { type: 'tool_interaction_response' }>;

/** Storage that belongs to one tab and survives a reload, such as `sessionStorage`. */
export interface TabStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

interface Entry {
  readonly frame: AnswerFrame;
  /** The id of the principal who gave the answer. */
  readonly by: string;
}

/** The answers in one session that the server has not acknowledged yet. Answers with secrets are never kept (INT17). */
export class KeptAnswers {
  readonly #storage: TabStorage | undefined;
  readonly #key: string;

  constructor(storage: TabStorage | undefined, sessionId: SessionId) {
    this.#storage = storage;
    this.#key = `parley.answers.${sessionId}`;
  }

  /** The stored answers, without those that an earlier release stored without their author. */
  get entries(): readonly Entry[] {
    const entries = JSON.parse(this.#storage?.getItem(this.#key) ?? '[]') as Partial<Entry>[];
    return entries.filter((entry): entry is Entry => entry.by !== undefined && entry.frame !== undefined);
  }

  /** Stores an answer, unless its author is unknown: later it could be sent as somebody else's. */
  keep(frame: AnswerFrame, by: string | undefined): void {
    if (by !== undefined) this.#write([...this.entries, { frame, by }]);
  }

  forget({ answerId }: AnswerFrame): void {
    this.#write(this.entries.filter(({ frame }) => frame.answerId !== answerId));
  }

  #write(entries: readonly Entry[]): void {
    try {
      if (entries.length > 0) this.#storage?.setItem(this.#key, JSON.stringify(entries));
      else this.#storage?.removeItem(this.#key);
    } catch {
      // The storage is full or forbidden: the answer is lost when the page is closed.
    }
  }
}
