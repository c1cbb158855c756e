import type { ConnectionId } from '../basics/id.ts';
import type { CloseCode } from './close-code.ts';

/** Frames that leave together, made once for all connections that get them. */
export interface FrameBatch {
  /** One frame each. A batch may grow until its texts are read for the first time, never after. */
  readonly texts: readonly string[];
}

/** One live link to a client. */
export interface Connection {
  readonly id: ConnectionId;
  /** Never blocks, never throws. What is sent in one tick leaves in one write. */
  send(batch: FrameBatch): void;
  /** Resolves when the link can take more or is closed; catch-up waits for its reader (FRM5). */
  drained(): Promise<void>;
  close(code: CloseCode, reason?: string): void;
}
