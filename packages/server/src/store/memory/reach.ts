import type { Authority, Delivery, DeliveryStore, Device, DeviceStore, PromptPlace, SessionId } from '@parleyhq/core';
import { keptDeliveriesSince, requireValid, type Standing } from '../append.ts';
import type { CommitQueue } from '../commit-queue.ts';

/** Devices that push messages go to, in memory. */
export class MemoryDevices implements DeviceStore {
  readonly #queue: CommitQueue;
  readonly #standingOf: (authority: Authority) => Standing;
  #devices: readonly Device[] = [];

  constructor(queue: CommitQueue, standingOf: (authority: Authority) => Standing) {
    this.#queue = queue;
    this.#standingOf = standingOf;
  }

  put(device: Device, authority?: Authority): Promise<void> {
    return this.#queue.write(() => {
      requireValid(authority, this.#standingOf);
      const { id, subscription } = device;
      const others = this.#devices.filter(
        (other) => other.id !== id && other.subscription.endpoint !== subscription.endpoint,
      );
      this.#devices = [...others, device].sort(byCreation);
    });
  }

  async list(): Promise<readonly Device[]> {
    return this.#devices;
  }

  remove(id: string): Promise<boolean> {
    return this.#queue.write(() => {
      const before = this.#devices;
      this.#devices = before.filter((device) => device.id !== id);
      return this.#devices.length < before.length;
    });
  }
}

/** What people are told, and were, in memory. */
export class MemoryDeliveries implements DeliveryStore {
  readonly #queue: CommitQueue;
  readonly #sessions: ReadonlyMap<SessionId, unknown>;
  #deliveries = new Map<string, Delivery>();

  constructor(queue: CommitQueue, sessions: ReadonlyMap<SessionId, unknown>) {
    this.#queue = queue;
    this.#sessions = sessions;
  }

  put(deliveries: readonly Delivery[]): Promise<void> {
    return this.#queue.write(() => {
      const known = deliveries.filter(({ sessionId }) => this.#sessions.has(sessionId));
      for (const delivery of known)
        this.#deliveries.set(`${delivery.sessionId} ${delivery.interactionId} ${delivery.target}`, delivery);
      const since = keptDeliveriesSince(deliveries);
      this.#drop((delivery) => delivery.at < since && !isUnfinished(delivery));
    });
  }

  async unfinished(): Promise<readonly Delivery[]> {
    return this.#newestFirst().filter(isUnfinished).reverse();
  }

  async ofPrompts(places: readonly PromptPlace[]): Promise<readonly Delivery[]> {
    const wanted = new Set(places.map(({ sessionId, interactionId }) => `${sessionId} ${interactionId} `));
    return [...this.#deliveries]
      .filter(([key, { target }]) => wanted.has(key.slice(0, -target.length)))
      .map(([, delivery]) => delivery);
  }

  async list({ principal, limit }: { principal?: string | undefined; limit: number }): Promise<readonly Delivery[]> {
    return this.#newestFirst()
      .filter((delivery) => principal === undefined || delivery.principal === principal)
      .slice(0, limit);
  }

  /** Call within a write. */
  dropSession(id: SessionId): void {
    this.#drop(({ sessionId }) => sessionId === id);
  }

  #drop(isOver: (delivery: Delivery) => boolean): void {
    for (const [key, delivery] of this.#deliveries) if (isOver(delivery)) this.#deliveries.delete(key);
  }

  #newestFirst(): Delivery[] {
    return [...this.#deliveries.values()].sort(
      (a, b) => compare(b.at, a.at) || compare(b.interactionId, a.interactionId),
    );
  }
}

function isUnfinished({ state }: Delivery): boolean {
  return state === 'due' || state === 'sent';
}

function byCreation(a: Device, b: Device): number {
  return compare(a.createdAt, b.createdAt) || compare(a.id, b.id);
}

function compare(a: string, b: string): number {
  return Number(a > b) - Number(a < b);
}
