import type { History } from './history.ts';

/** Somebody in front of the server. */
export interface Person extends History {
  come(): Promise<void>;
  say(messageId: string, text: string): void;
  /** Whether this one has heard all up to there and waits for no reply. */
  hasSeen(seq: number): boolean;
  leave(): Promise<void>;
}
