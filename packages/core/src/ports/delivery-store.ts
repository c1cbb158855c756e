import type { Delivery, Device } from '../plugin/notification.ts';
import type { Authority } from '../prompt/token.ts';

/** Devices that receive push messages; one per endpoint. */
export interface DeviceStore {
  /** Stores a device and replaces any with the same id or endpoint. @throws StoreError `unauthorised` (SEC9) */
  put(device: Device, authority?: Authority): Promise<void>;
  /** Returns all devices, oldest first. */
  list(): Promise<readonly Device[]>;
  /** Returns whether it existed. */
  remove(id: string): Promise<boolean>;
}

/** The session and id of a prompt. */
export type PromptRef = Pick<Delivery, 'sessionId' | 'interactionId'>;

/**
 * Planned and sent notifications. They are deleted with their session, except those whose message must still be changed (CHAT1): these
 * remain until they are stored as finished.
 */
export interface DeliveryStore {
  /** Stores deliveries and replaces those of the same prompt and target. If a session was deleted, only what remains is stored. */
  put(deliveries: readonly Delivery[]): Promise<void>;
  /** Returns those that are due or were sent, and are not finished. */
  unfinished(): Promise<readonly Delivery[]>;
  /** Returns all deliveries of these prompts, in any state. */
  ofPrompts(places: readonly PromptRef[]): Promise<readonly Delivery[]>;
  /** Returns deliveries, newest first, of one principal or of all. */
  list(filter: { readonly principal?: string | undefined; readonly limit: number }): Promise<readonly Delivery[]>;
}
