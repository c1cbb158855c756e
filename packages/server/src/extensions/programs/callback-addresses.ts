import type { Epoch, SessionId, ToolCallId } from '@parleyhq/core';
import * as z from 'zod';
import { Seal } from '../notifications/seal.ts';

/** Whether a program posts to the address or a browser comes back to it; one cannot be used as the other. */
type Kind = 'callback' | 'return';

const placeSchema = z.object({
  /** Distinguishes these tokens from everything else that is signed. */
  for: z.enum(['callback', 'return']),
  epoch: z.string(),
  sessionId: z.string(),
  toolCallId: z.string(),
  key: z.string(),
});

/** In characters; longer tokens cannot be ours. */
const maxTokenLength = 4000;

/** The wait that an address ends. */
export interface CallbackRef {
  readonly sessionId: SessionId;
  readonly toolCallId: ToolCallId;
  readonly key: string;
}

/** Path that external programs post to, before the token. */
export const callbackPath = '/callbacks/';

/** Path that browsers come back to; it is constant, because the sites that send them back require that. */
export const returnPath = '/return';

/**
 * Addresses of callbacks. Each contains what it is for and an HMAC, so it is the same whenever it is made (PLG11), within one
 * epoch (NTF3).
 */
export class CallbackAddresses {
  readonly #seal: Seal;
  readonly #epoch: Epoch;
  readonly #findBase: () => Promise<string>;

  /** @param findBase - resolves to the base URL of this server once it is known */
  constructor(key: string, epoch: Epoch, findBase: () => Promise<string>) {
    this.#seal = new Seal(key);
    this.#epoch = epoch;
    this.#findBase = findBase;
  }

  async addressOf(place: CallbackRef): Promise<string> {
    return `${await this.#base()}${callbackPath}${this.#close('callback', place)}`;
  }

  /** Returns the address to come back to; the wait is encoded in its `state`, which the site hands back (RFC 6749). */
  async returnAddressOf(place: CallbackRef): Promise<string> {
    return `${await this.#base()}${returnPath}?state=${this.#close('return', place)}`;
  }

  /** Decodes a token. Undefined if it was not signed here, is of the other kind, too long, or of another epoch. */
  read(kind: Kind, token: string): CallbackRef | undefined {
    const place = token.length > maxTokenLength ? undefined : placeSchema.safeParse(this.#seal.open(token)).data;
    return place?.epoch === this.#epoch && place.for === kind ? place : undefined;
  }

  #close(kind: Kind, { sessionId, toolCallId, key }: CallbackRef): string {
    return this.#seal.close({ for: kind, epoch: this.#epoch, sessionId, toolCallId, key });
  }

  async #base(): Promise<string> {
    return (await this.#findBase()).replace(/\/+$/, '');
  }
}
