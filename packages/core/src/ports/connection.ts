import type { ConnectionId } from '../basics/id.ts';
import type { CloseCode } from './close-code.ts';

/** Frames that are sent together, serialised once for all connections that receive them. */
export interface FrameBatch {
  /** One text per frame. A batch may grow until its texts are first read, and not after that. */
  readonly texts: readonly string[];
}

/** An open connection to a client. */
export interface Connection {
  readonly id: ConnectionId;
  /** Queues a batch; never blocks, never throws. Everything sent in one tick is one write. */
  send(batch: FrameBatch): void;
  /** Resolves when the connection can take more or is closed; a replay waits for its reader (FRM5). */
  drained(): Promise<void>;
  close(code: CloseCode, reason?: string): void;
}
