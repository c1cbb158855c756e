import type { Json } from '../basics/json.ts';

/**
 * Carries ephemeral messages between nodes: streamed text, drafts, presence and claims (OPS4). Something stored supersedes each
 * of them, so a lost message only means a delay.
 */
export interface Bus {
  /**
   * Sends to all other nodes, in the order of the calls. Never throws and never waits: a message that cannot be sent is dropped.
   */
  publish(message: Json): void;
  /**
   * Receives what other nodes publish from now on. Resolves once it is active.
   * @param onGap - called when messages may have been lost and delivery has resumed
   */
  subscribe(onMessage: (message: Json) => void, onGap?: () => void): Promise<void>;
}
