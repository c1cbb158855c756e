import type { Json } from '../basics/json.ts';

/**
 * Carries between nodes what is never stored: text that is being written, drafts, who is here, who is on what (OPS4). Something
 * stored supersedes each message, so that one that is lost costs nothing but the wait for that.
 */
export interface Bus {
  /** Tells all other nodes, in the order of the calls. Never throws and never waits: what cannot be passed on is dropped. */
  publish(message: Json): void;
  /**
   * Hears what other nodes publish from now on. Resolves once it has begun.
   * @param onGap - messages may have been lost; from now on they come again
   */
  subscribe(onMessage: (message: Json) => void, onGap?: () => void): Promise<void>;
}
