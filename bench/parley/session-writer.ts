import { randomUUID } from 'node:crypto';
import type { ParleyServer } from '@parleyhq/server';

type LiveSession = Awaited<ReturnType<ParleyServer['hub']['open']>>['session'];

/** So that an `assistant_done` is 400 bytes on the wire. */
const text = 'x'.repeat(109);

/** Appends events through the session's writer: each is decided, folded and stored. */
export class SessionWriter {
  readonly #session: LiveSession;
  readonly #turnId = randomUUID();
  readonly #responseId = randomUUID();
  #block = 0;

  constructor(session: LiveSession) {
    this.#session = session;
  }

  /** A turn that no runner takes up: its owner is somebody else. */
  async begin(): Promise<void> {
    const message = { messageId: randomUUID(), text: 'Begin.', origin: 'user' } as const;
    const plan = { turnId: this.#turnId, agent: 'demo', owner: 'bench' };
    await this.#session.perform({ type: 'send', message, plan });
  }

  append(): Promise<unknown> {
    const { turnId, responseId } = { turnId: this.#turnId, responseId: this.#responseId };
    const blocks = [{ kind: 'text', block: this.#block++, text }] as const;
    return this.#session.perform({ type: 'write', turnId, responseId, blocks, calls: [] });
  }

  async write(count: number): Promise<void> {
    await Promise.all(Array.from({ length: count }, () => this.append()));
  }
}
