import type { Epoch, InteractionRequest, Notification } from '@parleyhq/core';
import * as z from 'zod';
import type { NotifierTarget } from './notifier-target.ts';
import { Seal } from './seal.ts';

const keySchema = z.object({
  /** Distinguishes these keys from the tokens of buttons. */
  for: z.literal('card'),
  epoch: z.string(),
  target: z.string(),
  principal: z.string(),
  sessionId: z.string(),
  interactionId: z.string(),
  toolCallId: z.string(),
  digest: z.string(),
});

/** Content of a one-time link's key: one prompt, for one person (NTF3). */
export type OneTimeKey = z.infer<typeof keySchema>;

/** Makes and verifies the keys of one-time links; they are valid only in their epoch. */
export class OneTimeKeys {
  readonly #seal: Seal;
  readonly #epoch: Epoch;

  constructor(key: string, epoch: Epoch) {
    this.#seal = new Seal(key);
    this.#epoch = epoch;
  }

  /**
   * Returns a one-time link. Undefined at high risk, for prompts that cannot be allowed once, and if the notification is about
   * several prompts, because it would be unclear which one the link opens. The key is in the URL fragment, so it is in no
   * request, log or `Referer`.
   */
  linkTo(
    target: NotifierTarget,
    prompt: InteractionRequest,
    { sessionId, count, url }: Notification,
  ): string | undefined {
    const { interactionId, toolCallId, digest, risk, approvalScopes: scopes = ['once'] } = prompt;
    if (risk === 'high' || count !== 1 || !scopes.includes('once')) return undefined;
    const place = { sessionId, interactionId, toolCallId, digest };
    const whose = { target: target.id, principal: target.principal.id };
    const key = this.#seal.close({ for: 'card', epoch: this.#epoch, ...whose, ...place } satisfies OneTimeKey);
    return new URL(`/once#${key}`, url).href;
  }

  /** Verifies a key. Undefined if it was not signed here or is of another epoch. */
  read(key: string): OneTimeKey | undefined {
    const { data } = keySchema.safeParse(this.#seal.open(key));
    return data?.epoch === this.#epoch ? data : undefined;
  }
}
