import type { Channel, OutsideStore, SessionId } from '@parleyhq/core';

/** The outside sessions of each asker that came in: its principals all hold this one list, which follows what there is (ASK2). */
export class Channels {
  readonly #store: Pick<OutsideStore, 'channelsOf'>;
  readonly #known = new Map<string, Promise<SessionId[]>>();

  constructor(store: Pick<OutsideStore, 'channelsOf'>) {
    this.#store = store;
  }

  of(principal: string): Promise<readonly SessionId[]> {
    const known = this.#known.get(principal);
    if (known) return known;
    const reading = this.#store.channelsOf(principal).then((ids) => [...ids]);
    this.#known.set(principal, reading);
    reading.catch(() => this.#known.delete(principal));
    return reading;
  }

  /** A session is stored; whoever is told of it may see it by then. */
  async add({ principal }: Channel, id: SessionId): Promise<void> {
    const own = await this.#known.get(principal);
    if (own && !own.includes(id)) own.push(id);
  }

  /** A session is gone. */
  async remove({ principal }: Channel, id: SessionId): Promise<void> {
    const own = await this.#known.get(principal);
    const at = own?.indexOf(id) ?? -1;
    if (at >= 0) own?.splice(at, 1);
  }
}
