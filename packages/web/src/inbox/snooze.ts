/** How long a prompt may be postponed. */
export type Delay = 'hour' | 'tomorrow';

const hourMs = 3_600_000;
const morning = 8;

/**
 * Prompts postponed on this device, by key, with the time of their return in ms. This stays on the device and answers nothing.
 */
export class Snoozed {
  readonly #storage: Pick<Storage, 'getItem' | 'setItem'>;
  #until: ReadonlyMap<string, number>;

  constructor(storage: Pick<Storage, 'getItem' | 'setItem'>) {
    this.#storage = storage;
    this.#until = read(storage);
  }

  /** Returns when a postponed prompt returns; undefined if it is not postponed. */
  untilOf(key: string, now: number): number | undefined {
    const until = this.#until.get(key);
    return until !== undefined && until > now ? until : undefined;
  }

  /** Returns when the next postponed prompt returns. */
  next(now: number): number | undefined {
    const later = [...this.#until.values()].filter((until) => until > now);
    return later.length > 0 ? Math.min(...later) : undefined;
  }

  /** Takes over what another tab postponed or brought back. */
  reread(): void {
    this.#until = read(this.#storage);
  }

  snooze(key: string, until: number, now: number): void {
    this.reread();
    const kept = [...this.#until].filter(([, other]) => other > now);
    this.#keep(new Map([...kept, [key, until]]));
  }

  wake(key: string): void {
    this.reread();
    this.#keep(new Map([...this.#until].filter(([other]) => other !== key)));
  }

  #keep(until: ReadonlyMap<string, number>): void {
    this.#until = until;
    this.#storage.setItem(place, JSON.stringify([...until]));
  }
}

/**
 * Returns when a postponed prompt returns: early enough that half of its remaining time, or an hour, is left to answer it.
 * @param leftMs - its remaining time, if it ends
 */
export function reckonReturn(delay: Delay, now: number, leftMs: number | undefined): number {
  const wanted = delay === 'hour' ? now + hourMs : new Date(now).setHours(24 + morning, 0, 0, 0);
  return leftMs === undefined ? wanted : Math.min(wanted, now + Math.max(leftMs / 2, leftMs - hourMs));
}

const place = 'parley.snoozed';

function read(storage: Pick<Storage, 'getItem'>): ReadonlyMap<string, number> {
  try {
    const entries: unknown = JSON.parse(storage.getItem(place) ?? '[]');
    return new Map(Array.isArray(entries) ? (entries as [string, number][]) : []);
  } catch {
    return new Map(); // the storage holds something else
  }
}
