/** How long a prompt may be put off. */
export type Delay = 'hour' | 'tomorrow';

const hourMs = 3_600_000;
const morning = 8;

/** What was put off on this device, by the prompt's key, until when in ms. Nobody else hears of it, and nothing is answered by it. */
export class SnoozeBook {
  readonly #storage: Pick<Storage, 'getItem' | 'setItem'>;
  #until: ReadonlyMap<string, number>;

  constructor(storage: Pick<Storage, 'getItem' | 'setItem'>) {
    this.#storage = storage;
    this.#until = read(storage);
  }

  /** When it comes back; undefined if it is here. */
  untilOf(key: string, now: number): number | undefined {
    const until = this.#until.get(key);
    return until !== undefined && until > now ? until : undefined;
  }

  /** The next moment at which something comes back. */
  next(now: number): number | undefined {
    const later = [...this.#until.values()].filter((until) => until > now);
    return later.length > 0 ? Math.min(...later) : undefined;
  }

  /** Takes over what another tab put off or brought back. */
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

/** When a prompt comes back: with half of the time that is left for it, or an hour, to answer. `leftMs` is that time, if it ends. */
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
    return new Map(); // somebody else wrote there
  }
}
