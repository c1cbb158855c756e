import type { History } from './history.ts';

/** A person who talks to the victim through all its deaths. */
export interface Client extends History {
  join(): Promise<void>;
  say(messageId: string, text: string): void;
  /** Whether it has seen every event up to `seq` and has a reply to each request. */
  hasSeen(seq: number): boolean;
  leave(): Promise<void>;
}
