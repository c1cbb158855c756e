import type { Delivery, DeliveryStore, Epoch, PastPrompt, PromptRef } from '@parleyhq/core';

export type IsOpen = (place: PromptRef) => boolean;

type ByTarget = Map<string, Delivery>;

/** Notifications of open prompts, and those of settled prompts that must be withdrawn (NTF4). */
export class DeliveryLog {
  readonly #store: DeliveryStore;
  readonly #open = new Map<string, ByTarget>();
  /** Notifications to withdraw, by target and prompt. */
  readonly #settled = new Map<string, Map<string, Delivery>>();
  /** Messages to change, by target and prompt: their prompts are still open. */
  readonly #changed = new Map<string, Map<string, Delivery>>();
  /** The settled prompts of notifications to withdraw, in case their sessions are deleted. */
  readonly #past = new Map<string, PastPrompt>();

  constructor(store: DeliveryStore) {
    this.#store = store;
  }

  /**
   * Loads what an earlier process of this epoch left; what other epochs left is void (NTF3). Notifications that had failed or
   * were unnecessary are not sent again (NTF1).
   */
  async load(epoch: Epoch, open: readonly PromptRef[], isOpen: IsOpen): Promise<void> {
    const left = await this.#store.unfinished();
    this.#open.clear();
    this.#settled.clear();
    this.#changed.clear();
    this.#past.clear();
    for (const delivery of await this.#store.ofPrompts(open)) if (delivery.epoch === epoch) this.#note(delivery);
    const isVoid = (delivery: Delivery) => delivery.epoch !== epoch || (!isShown(delivery) && !isOpen(delivery));
    const over = left.filter(isVoid).map((delivery) => ({ ...delivery, state: 'withdrawn' }) as const);
    if (over.length > 0) await this.#store.put(over);
    for (const delivery of left) {
      if (isVoid(delivery) || isOpen(delivery)) continue;
      this.#note(delivery);
      this.settle(delivery);
    }
  }

  find(place: PromptRef, target: string): Delivery | undefined {
    return this.#open.get(keyOf(place))?.get(target);
  }

  /** Returns the notifications to withdraw from this target, because their prompts were settled. */
  settledOf(target: string): readonly Delivery[] {
    return [...(this.#settled.get(target)?.values() ?? [])];
  }

  /** Returns the messages of this target to change, because their prompts have. */
  changedOf(target: string): readonly Delivery[] {
    return [...(this.#changed.get(target)?.values() ?? [])];
  }

  /** Returns the settled prompt of a notification to withdraw; undefined if an earlier process noted that it was settled. */
  pastOf(place: PromptRef): PastPrompt | undefined {
    return this.#past.get(keyOf(place));
  }

  /** Targets with notifications to withdraw. */
  get settledTargets(): readonly string[] {
    return [...this.#settled.keys()];
  }

  /** Stores the results of attempts. If a prompt was settled meanwhile, its sent notifications must be withdrawn. */
  async record(deliveries: readonly Delivery[], isOpen: IsOpen): Promise<void> {
    const known = deliveries.map((delivery): Delivery => {
      if (isOpen(delivery)) {
        this.#note(delivery);
        return delivery;
      }
      if (isShown(delivery)) this.#takeBack(delivery);
      return delivery.state === 'due' && !isShown(delivery) ? { ...delivery, state: 'withdrawn' } : delivery;
    });
    await this.#store.put(known);
  }

  /** Notes that a prompt was settled. @returns the deliveries that were due and are now obsolete, to be stored */
  settle(place: PromptRef, past?: PastPrompt): readonly Delivery[] {
    const deliveries = [...(this.#open.get(keyOf(place))?.values() ?? [])];
    this.#open.delete(keyOf(place));
    for (const byPrompt of this.#changed.values()) byPrompt.delete(keyOf(place));
    for (const delivery of deliveries) if (isShown(delivery)) this.#takeBack(delivery);
    if (past && deliveries.some(isShown)) this.#past.set(keyOf(place), past);
    return deliveries.filter((delivery) => !isShown(delivery) && delivery.state === 'due');
  }

  /** Notes that these are all targets: what else was sent in chats must be closed, because the accounts are not linked any more. */
  keepOnly(targets: ReadonlySet<string>): void {
    for (const byTarget of this.#open.values())
      for (const delivery of byTarget.values()) {
        if (targets.has(delivery.target) || delivery.message === undefined || !isShown(delivery)) continue;
        byTarget.delete(delivery.target);
        this.#takeBack(delivery);
      }
  }

  /** Notes that a prompt changed but is still open. Returns whether there are messages to change. */
  change(place: PromptRef): boolean {
    const deliveries = [...(this.#open.get(keyOf(place))?.values() ?? [])];
    const shown = deliveries.filter(({ message, isSnoozed }) => message !== undefined && !isSnoozed);
    for (const delivery of shown) {
      const byPrompt = this.#changed.get(delivery.target) ?? new Map();
      this.#changed.set(delivery.target, byPrompt.set(keyOf(delivery), delivery));
    }
    return shown.length > 0;
  }

  /** Notes that a message was changed, or cannot be. */
  changed(delivery: Delivery): void {
    this.#changed.get(delivery.target)?.delete(keyOf(delivery));
  }

  /** Stores that notifications were withdrawn, or cannot be. */
  async finish(deliveries: readonly Delivery[]): Promise<void> {
    for (const delivery of deliveries) {
      const left = this.#settled.get(delivery.target);
      if (left?.delete(keyOf(delivery)) && left.size === 0) this.#settled.delete(delivery.target);
      if (![...this.#settled.values()].some((byPrompt) => byPrompt.has(keyOf(delivery))))
        this.#past.delete(keyOf(delivery));
    }
    await this.#store.put(deliveries.map((delivery) => ({ ...delivery, state: 'withdrawn' })));
  }

  #note(delivery: Delivery): void {
    if (delivery.isSnoozed) this.changed(delivery); // its message has no buttons, and is to get none back
    const byTarget = this.#open.get(keyOf(delivery)) ?? new Map();
    this.#open.set(keyOf(delivery), byTarget.set(delivery.target, delivery));
  }

  #takeBack(delivery: Delivery): void {
    const left = this.#settled.get(delivery.target) ?? new Map();
    this.#settled.set(delivery.target, left.set(keyOf(delivery), delivery));
  }
}

/** Whether its message may still be in front of somebody: it was sent, sent and postponed, or perhaps sent. */
function isShown({ state, message, isUnclear = false }: Delivery): boolean {
  return state === 'sent' || (state === 'due' && (message !== undefined || isUnclear));
}

/** Returns the key of a prompt; ids contain no spaces. */
export function keyOf({ sessionId, interactionId }: PromptRef): string {
  return `${sessionId} ${interactionId}`;
}
