import type { Delivery, DeliveryStore, Epoch, PromptPlace } from '@parleyhq/core';

export type IsOpen = (place: PromptPlace) => boolean;

type ByTarget = Map<string, Delivery>;

/** What was told of prompts that are open, and what is to be taken back of those that are settled (NTF4). */
export class Ledger {
  readonly #store: DeliveryStore;
  readonly #open = new Map<string, ByTarget>();
  /** By target, then by prompt. */
  readonly #settled = new Map<string, Map<string, Delivery>>();

  constructor(store: DeliveryStore) {
    this.#store = store;
  }

  /**
   * Takes up what an earlier process of this epoch left; what another epoch left is void (NTF3). Nobody is told again of what
   * could not be told, or did not need to be (NTF1).
   */
  async load(epoch: Epoch, open: readonly PromptPlace[], isOpen: IsOpen): Promise<void> {
    const left = await this.#store.unfinished();
    this.#open.clear();
    this.#settled.clear();
    for (const delivery of await this.#store.ofPrompts(open)) if (delivery.epoch === epoch) this.#note(delivery);
    const isVoid = (delivery: Delivery) => delivery.epoch !== epoch || (delivery.state === 'due' && !isOpen(delivery));
    const over = left.filter(isVoid).map((delivery) => ({ ...delivery, state: 'withdrawn' }) as const);
    if (over.length > 0) await this.#store.put(over);
    for (const delivery of left) {
      if (isVoid(delivery) || isOpen(delivery)) continue;
      this.#note(delivery);
      this.settle(delivery);
    }
  }

  find(place: PromptPlace, target: string): Delivery | undefined {
    return this.#open.get(keyOf(place))?.get(target);
  }

  /** What this target was told, and nobody needs to answer any more: it is to be taken back. */
  settledOf(target: string): readonly Delivery[] {
    return [...(this.#settled.get(target)?.values() ?? [])];
  }

  /** Those who are to be told that nobody needs to answer any more. */
  get settledTargets(): readonly string[] {
    return [...this.#settled.keys()];
  }

  /** What became of attempts to tell. A prompt that was settled meanwhile is to be taken back where it was told. */
  async record(deliveries: readonly Delivery[], isOpen: IsOpen): Promise<void> {
    const known = deliveries.map((delivery): Delivery => {
      if (isOpen(delivery)) {
        this.#note(delivery);
        return delivery;
      }
      if (delivery.state === 'sent') this.#takeBack(delivery);
      return delivery.state === 'due' ? { ...delivery, state: 'withdrawn' } : delivery;
    });
    await this.#store.put(known);
  }

  /** A prompt was settled. @returns what is over with it, to be stored */
  settle(place: PromptPlace): readonly Delivery[] {
    const deliveries = [...(this.#open.get(keyOf(place))?.values() ?? [])];
    this.#open.delete(keyOf(place));
    for (const delivery of deliveries) if (delivery.state === 'sent') this.#takeBack(delivery);
    return deliveries.filter(({ state }) => state === 'due');
  }

  /** It was taken back, or cannot be. */
  async finish(deliveries: readonly Delivery[]): Promise<void> {
    for (const delivery of deliveries) {
      const left = this.#settled.get(delivery.target);
      if (left?.delete(keyOf(delivery)) && left.size === 0) this.#settled.delete(delivery.target);
    }
    await this.#store.put(deliveries.map((delivery) => ({ ...delivery, state: 'withdrawn' })));
  }

  #note(delivery: Delivery): void {
    const byTarget = this.#open.get(keyOf(delivery)) ?? new Map();
    this.#open.set(keyOf(delivery), byTarget.set(delivery.target, delivery));
  }

  #takeBack(delivery: Delivery): void {
    const left = this.#settled.get(delivery.target) ?? new Map();
    this.#settled.set(delivery.target, left.set(keyOf(delivery), delivery));
  }
}

/** Neither id has a space in it. */
function keyOf({ sessionId, interactionId }: PromptPlace): string {
  return `${sessionId} ${interactionId}`;
}
