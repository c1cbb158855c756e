import type { Epoch, SessionId, ToolCallId } from '@parleyhq/core';
import * as z from 'zod';
import { Seal } from '../reach/seal.ts';

/** A program posts to it, or a browser comes back to it: neither address does for the other. */
type Kind = 'callback' | 'return';

const placeSchema = z.object({
  /** No other thing that is signed is one. */
  for: z.enum(['callback', 'return']),
  epoch: z.string(),
  sessionId: z.string(),
  toolCallId: z.string(),
  key: z.string(),
});

/** In characters. Longer ones are none of ours. */
const maxTokenLength = 4000;

/** Which wait of which call an address ends. */
export interface CallbackPlace {
  readonly sessionId: SessionId;
  readonly toolCallId: ToolCallId;
  readonly key: string;
}

/** Of the path that programs outside post to, before its token. */
export const callbackPath = '/callbacks/';

/** Where browsers come back to: always the same, as sites that send them there want it. */
export const returnPath = '/return';

/** The addresses of callbacks: each names its place and carries its HMAC, so that it is the same whenever it is made (PLG11), within one epoch (NTF3). */
export class CallbackAddresses {
  readonly #seal: Seal;
  readonly #epoch: Epoch;
  readonly #findBase: () => Promise<string>;

  /** @param findBase - where this server is reached, once that is known */
  constructor(key: string, epoch: Epoch, findBase: () => Promise<string>) {
    this.#seal = new Seal(key);
    this.#epoch = epoch;
    this.#findBase = findBase;
  }

  async addressOf(place: CallbackPlace): Promise<string> {
    return `${await this.#base()}${callbackPath}${this.#close('callback', place)}`;
  }

  /** The place is in its `state`, which the site hands back (RFC 6749). */
  async returnAddressOf(place: CallbackPlace): Promise<string> {
    return `${await this.#base()}${returnPath}?state=${this.#close('return', place)}`;
  }

  /** Undefined for what was not made here, is of the other kind, too long to be one, or of another epoch. */
  read(kind: Kind, token: string): CallbackPlace | undefined {
    const place = token.length > maxTokenLength ? undefined : placeSchema.safeParse(this.#seal.open(token)).data;
    return place?.epoch === this.#epoch && place.for === kind ? place : undefined;
  }

  #close(kind: Kind, { sessionId, toolCallId, key }: CallbackPlace): string {
    return this.#seal.close({ for: kind, epoch: this.#epoch, sessionId, toolCallId, key });
  }

  async #base(): Promise<string> {
    return (await this.#findBase()).replace(/\/+$/, '');
  }
}
