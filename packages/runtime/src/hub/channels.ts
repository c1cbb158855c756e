import type { Channel, OutsideStore, SessionId } from '@parleyhq/core';

/**
 * The sessions that each connected asker opened from outside. All principals of an asker share one list, which is kept up to date
 * (ASK2).
 */
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

  /** Adds a stored session, before anybody is notified of it: the asker may see it from now on. */
  async add({ principal }: Channel, id: SessionId): Promise<void> {
    const own = await this.#known.get(principal);
    if (own && !own.includes(id)) own.push(id);
  }

  /** Removes a deleted session. */
  async remove({ principal }: Channel, id: SessionId): Promise<void> {
    const own = await this.#known.get(principal);
    const at = own?.indexOf(id) ?? -1;
    if (at >= 0) own?.splice(at, 1);
  }
}
