import { randomUUID } from 'node:crypto';
import { RefusalError, type RequestFrame, type ServerFrameOf } from '@parleyhq/core';

type Unnumbered<Frame> = Frame extends unknown ? Omit<Frame, 'requestId'> : never;
export type Request = Unnumbered<RequestFrame>;

interface Waiting {
  resolve(result: unknown): void;
  reject(error: RefusalError): void;
}

/** Sends requests to the server, and finds their replies. */
export class FrameLink {
  readonly #send: (frame: string) => void;
  readonly #waiting = new Map<string, Waiting>();

  constructor(send: (frame: string) => void) {
    this.#send = send;
  }

  /** @throws RefusalError of the server; `retry_later` if the connection ends before the reply */
  request(frame: Request): Promise<unknown> {
    const requestId = randomUUID();
    return new Promise((resolve, reject) => {
      this.#waiting.set(requestId, { resolve, reject });
      this.#send(JSON.stringify({ ...frame, requestId }));
    });
  }

  take(reply: ServerFrameOf<'reply'>): void {
    const waiting = this.#waiting.get(reply.requestId);
    this.#waiting.delete(reply.requestId);
    if (reply.ok) waiting?.resolve(reply.result);
    else waiting?.reject(toRefusal(reply.error));
  }

  end(): void {
    for (const { reject } of this.#waiting.values()) reject(new RefusalError('retry_later'));
    this.#waiting.clear();
  }
}

/** Makes an error of what a frame says. */
export function toRefusal({
  code,
  message,
  details,
}: {
  code: string;
  message: string;
  details?: unknown;
}): RefusalError {
  return new RefusalError(code as RefusalError['code'], { message, details });
}
