import type { Update } from 'grammy/types';

/**
 * The updates that Telegram delivers until they are confirmed: an offset confirms everything before it. Those of one account are
 * handled one after the other, and hold up nobody else's.
 */
export class Updates {
  readonly #handle: (update: Update) => Promise<void>;
  /** The last update of each account that is being handled. */
  readonly #last = new Map<number, Promise<void>>();
  /** Ids of the updates that were taken and not confirmed; true once they were handled. */
  readonly #taken = new Map<number, boolean>();
  /** Ids of those that were delivered last, in order. */
  #delivered: readonly number[] = [];
  #offset: number | undefined;

  /** @param handle - must not reject */
  constructor(handle: (update: Update) => Promise<void>) {
    this.#handle = handle;
  }

  /** Takes what was delivered, unless it was taken before. */
  take(updates: readonly Update[]): void {
    const held = new Set<number>();
    for (const update of updates) {
      const { update_id: id } = update;
      const account = accountOf(update);
      if (held.has(account)) continue; // delivered again once the other is confirmed
      if (changesLink(update)) held.add(account);
      if (!this.#taken.has(id)) this.#begin(id, account, update);
    }
    this.#delivered = updates.map(({ update_id: id }) => id);
  }

  /** Returns the id of the first update that was not handled, and forgets those before it. */
  confirm(): number | undefined {
    const last = this.#delivered.at(-1);
    if (last === undefined) return this.#offset;
    this.#offset = this.#delivered.find((id) => this.#taken.get(id) !== true) ?? last + 1;
    for (const id of this.#taken.keys()) if (id < this.#offset) this.#taken.delete(id);
    return this.#offset;
  }

  /** Resolves when nothing that was taken is being handled any more, or after a time. @param limitMs - without it, it may take long */
  async settle(limitMs?: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      if (limitMs !== undefined) timer = setTimeout(resolve, limitMs);
    });
    await Promise.race([Promise.all(this.#last.values()), late]);
    clearTimeout(timer);
  }

  #begin(id: number, account: number, update: Update): void {
    this.#taken.set(id, false);
    const work = (this.#last.get(account) ?? Promise.resolve()).then(async () => {
      await this.#handle(update);
      this.#taken.set(id, true);
      if (this.#last.get(account) === work) this.#last.delete(account);
    });
    this.#last.set(account, work);
  }
}

function accountOf({ message, callback_query: press, my_chat_member: member }: Update): number {
  return (press ?? message ?? member)?.from?.id ?? 0;
}

/**
 * Whether an update may link an account or end a link. Delivered again after a later one of the same account, it would undo that: so it
 * is confirmed first.
 */
function changesLink({ message, my_chat_member: member }: Update): boolean {
  return member !== undefined || message?.text?.startsWith('/') === true;
}
