import type { SessionId } from '@parleyhq/core';
import type { Request } from './request-queue.ts';

export type AnswerFrame = Extract<Request, { type: 'tool_interaction_response' }>;

/** Storage that belongs to one tab and survives a reload, such as `sessionStorage`. */
export interface TabStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/** The answers in one session that the server has not acknowledged yet. Answers with secrets are never kept (INT17). */
export class KeptAnswers {
  readonly #storage: TabStorage | undefined;
  readonly #key: string;

  constructor(storage: TabStorage | undefined, sessionId: SessionId) {
    this.#storage = storage;
    this.#key = `parley.answers.${sessionId}`;
  }

  get frames(): readonly AnswerFrame[] {
    return JSON.parse(this.#storage?.getItem(this.#key) ?? '[]');
  }

  keep(frame: AnswerFrame): void {
    this.#write([...this.frames, frame]);
  }

  forget({ answerId }: AnswerFrame): void {
    this.#write(this.frames.filter((frame) => frame.answerId !== answerId));
  }

  #write(frames: readonly AnswerFrame[]): void {
    try {
      if (frames.length > 0) this.#storage?.setItem(this.#key, JSON.stringify(frames));
      else this.#storage?.removeItem(this.#key);
    } catch {
      // The storage is full or forbidden: the answer lives as long as the page.
    }
  }
}
