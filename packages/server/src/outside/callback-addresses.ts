import type { SessionId, ToolCallId } from '@parleyhq/core';
import * as z from 'zod';
import { Seal } from '../reach/seal.ts';

const placeSchema = z.object({
  /** No other thing that is signed is one. */
  for: z.literal('callback'),
  sessionId: z.string(),
  toolCallId: z.string(),
  key: z.string(),
});

/** Which wait of which call an address ends. */
export interface CallbackPlace {
  readonly sessionId: SessionId;
  readonly toolCallId: ToolCallId;
  readonly key: string;
}

/** Of the path that programs outside post to, before its token. */
export const callbackPath = '/callbacks/';

/** The addresses of callbacks: each names its place and carries its HMAC, so that it is the same whenever it is made (PLG11). */
export class CallbackAddresses {
  readonly #seal: Seal;
  readonly #findBase: () => Promise<string>;

  /** @param findBase - where this server is reached, once that is known */
  constructor(key: string, findBase: () => Promise<string>) {
    this.#seal = new Seal(key);
    this.#findBase = findBase;
  }

  async addressOf({ sessionId, toolCallId, key }: CallbackPlace): Promise<string> {
    const token = this.#seal.close({ for: 'callback', sessionId, toolCallId, key });
    return `${(await this.#findBase()).replace(/\/+$/, '')}${callbackPath}${token}`;
  }

  /** Undefined for what was not made here. */
  read(token: string): CallbackPlace | undefined {
    return placeSchema.safeParse(this.#seal.open(token)).data;
  }
}
