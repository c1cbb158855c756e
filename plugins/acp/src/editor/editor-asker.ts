import { type Asked, Asker, type Place } from '@parleyhq/door-kit';
import { door } from './door-path.ts';
import { NewsDesk } from './news-desk.ts';
import type { News, Question } from './proxy.ts';

export interface EditorAskerOptions {
  /** The agent's name, for people. */
  readonly agent: string;
  /** Finds the server again for each attempt. @throws Error if there is none */
  readonly find: () => Promise<Place>;
  /** Shows the person at the editor why people are not asked. */
  readonly report: (words: string) => void;
}

/** Asks people the questions of an agent in an editor, and shows them what happens in its sessions. */
export class EditorAsker {
  readonly #agent: string;
  readonly #asker: Asker;
  readonly #news: NewsDesk;

  constructor({ agent, find, report }: EditorAskerOptions) {
    this.#agent = agent;
    this.#asker = new Asker({ door, otherwise: 'Questions are asked in the editor alone', find, report });
    this.#news = new NewsDesk((bulletin) => this.#asker.post({ kind: 'news', agent, ...bulletin }));
  }

  /** Whether a server answers that this token may ask. */
  isThere(): Promise<boolean> {
    return this.#asker.isThere();
  }

  ask({ kind, sessionId: session, cwd, call, params }: Question): Asked {
    return this.#asker.ask({ kind, agent: this.#agent, session, cwd, call, params }, this.#news.open(session, cwd));
  }

  /** Shows what happened in a session in its transcript, once it has asked something. */
  tell(news: News): void {
    this.#news.tell(news);
  }

  /** Sends the news that are left. */
  async flush(): Promise<void> {
    await this.#news.flush();
  }
}
