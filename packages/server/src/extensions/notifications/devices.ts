import { isDeepStrictEqual } from 'node:util';
import {
  authorityOf,
  type Credential,
  type Device,
  type DeviceStore,
  type NotificationDetail,
  type Principal,
  type PushSubscription,
  type QuietHours,
  RefusalError,
} from '@parleyhq/core';
import { newId, OneByOne } from '@parleyhq/runtime';
import type { Logger } from 'pino';
import { DeviceTarget, type DeviceTargetParts } from './device-target.ts';

/** Maximum number of devices of one principal; a further one replaces the oldest. */
const maxDevices = 20;

/** Settings that a browser sends. */
export interface DeviceWish {
  readonly subscription: PushSubscription;
  readonly name?: string | undefined;
  readonly detail?: NotificationDetail | undefined;
  readonly quiet?: QuietHours | null | undefined;
}

/** Part of a device that its person may see; its keys and its address stay here. */
export type ShownDevice = Pick<Device, 'id' | 'createdAt' | 'name' | 'detail' | 'quiet'>;

export interface DevicesOptions extends Omit<DeviceTargetParts, 'onGone'> {
  readonly store: DeviceStore;
  /** Returns the principal that a credential currently admits. */
  readonly findPrincipal: (credential: Credential) => Promise<Principal | undefined>;
  /** Called when a device was added. */
  readonly onAdded: () => void;
  readonly log: Logger;
}

/** Browsers that are subscribed to notifications (NTF2), as stored. */
export class Devices {
  readonly #options: DevicesOptions;
  readonly #targets = new Set<DeviceTarget>();
  /** Serialises changes by endpoint, because each depends on what the one before stored. */
  readonly #oneByOne = new OneByOne();

  constructor(options: DevicesOptions) {
    this.#options = options;
  }

  /** Devices that can be notified now. */
  get targets(): ReadonlySet<DeviceTarget> {
    return this.#targets;
  }

  /** Reloads the devices from the store: at the start, and when they were changed there. */
  async load(): Promise<void> {
    const { store, findPrincipal } = this.#options;
    const left = new Set(this.#targets); // before reading, so that devices added meanwhile are kept
    for (const device of await store.list()) {
      const known = [...left].find((target) => target.device.id === device.id);
      if (known) left.delete(known);
      if (known && isDeepStrictEqual(known.device, device)) continue;
      const principal = await findPrincipal(device.credential);
      if (principal?.id === device.principal) this.#add(device, principal);
      else if (isNamed(device.credential)) await store.remove(device.id); // its login has ended
    }
    for (const target of left) this.#targets.delete(target);
  }

  find(id: string): DeviceTarget | undefined {
    return [...this.#targets].find(({ device }) => device.id === id);
  }

  listOf(principal: Principal): readonly ShownDevice[] {
    return this.#ownOf(principal).map(({ device: { id, createdAt, name, detail, quiet } }) => ({
      id,
      createdAt,
      name,
      detail,
      ...(quiet && { quiet }),
    }));
  }

  /** Adds a browser, or changes its settings. @throws StoreError `unauthorised` (SEC9) */
  put(wish: DeviceWish, principal: Principal, credential: Credential): Promise<ShownDevice> {
    return this.#oneByOne.run(wish.subscription.endpoint, () => this.#put(wish, principal, credential));
  }

  async #put(wish: DeviceWish, principal: Principal, credential: Credential): Promise<ShownDevice> {
    const { store, now, onAdded } = this.#options;
    const { subscription, name, detail, quiet } = wish;
    const known = [...this.#targets].find(({ device }) => device.subscription.endpoint === subscription.endpoint);
    const earlier = known?.device.principal === principal.id ? known.device : undefined;
    const hours = quiet === undefined ? earlier?.quiet : (quiet ?? undefined);
    const device: Device = {
      id: earlier?.id ?? newId(),
      createdAt: earlier?.createdAt ?? new Date(now()).toISOString(),
      principal: principal.id,
      credential,
      subscription,
      name: name ?? earlier?.name ?? 'A browser',
      detail: detail ?? earlier?.detail ?? 'none',
      ...(hours && { quiet: hours }),
    };
    await store.put(device, authorityOf(credential, now()));
    if (known) this.#targets.delete(known);
    this.#add(device, principal);
    for (const { device: oldest } of this.#ownOf(principal).slice(0, -maxDevices))
      await this.remove(oldest.id, principal);
    onAdded();
    const shown = this.listOf(principal).find(({ id }) => id === device.id);
    if (!shown) throw new RefusalError('unauthorised'); // its login ended meanwhile
    return shown;
  }

  /**
   * Removes a device.
   * @param which - its id, or its endpoint
   * @throws RefusalError `not_found` if this principal has no such device
   */
  async remove(which: string, principal: Principal): Promise<void> {
    const target = this.#ownOf(principal).find(
      ({ device: { id, subscription } }) => id === which || subscription.endpoint === which,
    );
    if (!target) throw new RefusalError('not_found');
    this.#targets.delete(target);
    await this.#options.store.remove(target.device.id);
  }

  #ownOf(principal: Principal): readonly DeviceTarget[] {
    return [...this.#targets].filter(({ device }) => device.principal === principal.id);
  }

  #add(device: Device, principal: Principal): void {
    const { log, store } = this.#options;
    const onGone = (target: DeviceTarget) => {
      if (!this.#targets.delete(target)) return;
      store
        .remove(device.id)
        .catch((error: unknown) => log.warn({ error, device: device.id }, 'a device could not be removed'));
    };
    for (const target of this.#targets) if (target.device.id === device.id) this.#targets.delete(target);
    this.#targets.add(new DeviceTarget(device, principal, { ...this.#options, onGone }));
  }
}

/**
 * Whether a credential names a token or login. That of the server's own token names neither, so another node cannot validate it.
 */
function isNamed({ tokenId, loginHash }: Credential): boolean {
  return tokenId !== undefined || loginHash !== undefined;
}
