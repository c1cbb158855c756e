import type { Delivery, Device } from '../plugin/reach.ts';
import type { Authority } from '../prompt/token.ts';

/** Devices that push messages go to; one for each endpoint. */
export interface DeviceStore {
  /** Replaces the one with the same id, and the one with the same endpoint. @throws StoreError `unauthorised` (SEC9) */
  put(device: Device, authority?: Authority): Promise<void>;
  /** Oldest first. */
  list(): Promise<readonly Device[]>;
  /** Whether it existed. */
  remove(id: string): Promise<boolean>;
}

/** A prompt, wherever it is. */
export type PromptPlace = Pick<Delivery, 'sessionId' | 'interactionId'>;

/** What is to be told, and what was. Ends with its session. */
export interface DeliveryStore {
  /** Replaces those of the same prompt and target. Those of sessions that are gone are left out. */
  put(deliveries: readonly Delivery[]): Promise<void>;
  /** Those that are due or were sent, and are not over. */
  unfinished(): Promise<readonly Delivery[]>;
  /** All of these prompts, in whatever state. */
  ofPrompts(places: readonly PromptPlace[]): Promise<readonly Delivery[]>;
  /** Newest first; those of one principal, or all. */
  list(filter: { readonly principal?: string | undefined; readonly limit: number }): Promise<readonly Delivery[]>;
}
