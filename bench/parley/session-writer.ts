import { randomUUID } from 'node:crypto';
import type { Agent } from '@parleyhq/core';
import type { ParleyServer } from '@parleyhq/server';

type LoadedSession = Awaited<ReturnType<ParleyServer['hub']['open']>>['session'];

/** With this text an `assistant_done` event is 400 bytes on the wire. */
const text = 'x'.repeat(109);

/** Writes nothing and never ends, so that a turn holds only what `SessionWriter` appends. */
export const idleAgent: Agent = {
  name: 'bench-idle',
  async *run() {
    await new Promise(() => {});
  },
};

/** Appends events through the writer of a session with `idleAgent`: each is decided, folded and stored. */
export class SessionWriter {
  readonly #session: LoadedSession;

  constructor(session: LoadedSession) {
    this.#session = session;
  }

  async begin(): Promise<void> {
    const message = { messageId: randomUUID(), text: 'Begin.', origin: 'user' } as const;
    await this.#session.perform({ type: 'send', message });
  }

  /** Appends a message with a new id, because the same message would be stored only once. */
  append(): Promise<unknown> {
    const turnId = this.#session.head.turn?.turnId ?? '';
    const blocks = [{ kind: 'text', block: 0, text }] as const;
    return this.#session.perform({ type: 'write', turnId, responseId: randomUUID(), blocks, calls: [] });
  }

  async write(count: number): Promise<void> {
    await Promise.all(Array.from({ length: count }, () => this.append()));
  }
}
