import { isRecord, type Json, type PluginHost } from '@parleyhq/core';
import type { SessionFacts } from './session-facts.ts';

/** What the next process needs to know. */
export type Saved = {
  /** The agent's own id of the session. */
  readonly acpSession?: string;
  /** The last turn that was sent to the agent, and the seq up to which it has all messages. */
  readonly turnId?: string;
  readonly seq?: number;
  /** What people said with their answers, for which permissions have no place. */
  readonly words?: readonly string[];
  /** What people were shown of the session's mode, model and the like. */
  readonly facts?: SessionFacts;
};

/** What is kept of a session in the store of the plugin. */
export class SavedSession {
  readonly #state: PluginHost['state'];
  readonly #key: string;
  /** Resolves when the last change is stored. */
  #changed: Promise<void> = Promise.resolve();
  #isDeleted = false;

  constructor(state: PluginHost['state'], key: string) {
    this.#state = state;
    this.#key = key;
  }

  async read(): Promise<Saved> {
    const saved = await this.#state.get(this.#key);
    return isRecord(saved) ? (saved as Saved) : {};
  }

  /** Makes one change after the other, so that none undoes another one. */
  change(change: (saved: Saved) => Saved): Promise<void> {
    const changed = this.#changed.then(async () => {
      const saved = await this.read();
      const next = change(saved);
      if (next !== saved && !this.#isDeleted) await this.#state.set(this.#key, next as Json);
    });
    this.#changed = changed.catch(() => undefined); // the caller reports it
    return changed;
  }

  async delete(): Promise<void> {
    this.#isDeleted = true;
    await this.#changed;
    await this.#state.delete(this.#key);
  }
}
