import type { Epoch, InteractionRequest, News } from '@parleyhq/core';
import * as z from 'zod';
import type { NotifierTarget } from './notifier-target.ts';
import { Seal } from './seal.ts';

const keySchema = z.object({
  /** A button's token is none of these. */
  for: z.literal('card'),
  epoch: z.string(),
  target: z.string(),
  principal: z.string(),
  sessionId: z.string(),
  interactionId: z.string(),
  toolCallId: z.string(),
  digest: z.string(),
});

/** What a one-time link opens: one prompt, for one person (NTF3). */
export type OneTimeKey = z.infer<typeof keySchema>;

/** Makes the keys of one-time links and reads them back; none outlives its epoch. */
export class OneTimeKeys {
  readonly #seal: Seal;
  readonly #epoch: Epoch;

  constructor(key: string, epoch: Epoch) {
    this.#seal = new Seal(key);
    this.#epoch = epoch;
  }

  /**
   * Undefined at high risk, for what can only be allowed for longer than once, and where the news is about several prompts: nobody would know which of them it opens. The key stands
   * behind the `#`: no request for the page carries it, no log and no `Referer`.
   */
  linkTo(target: NotifierTarget, prompt: InteractionRequest, { sessionId, count, url }: News): string | undefined {
    const { interactionId, toolCallId, digest, risk, approvalScopes: scopes = ['once'] } = prompt;
    if (risk === 'high' || count !== 1 || !scopes.includes('once')) return undefined;
    const place = { sessionId, interactionId, toolCallId, digest };
    const whose = { target: target.id, principal: target.principal.id };
    const key = this.#seal.close({ for: 'card', epoch: this.#epoch, ...whose, ...place } satisfies OneTimeKey);
    return new URL(`/once#${key}`, url).href;
  }

  /** Undefined for what was not made here, or in another epoch. */
  read(key: string): OneTimeKey | undefined {
    const { data } = keySchema.safeParse(this.#seal.open(key));
    return data?.epoch === this.#epoch ? data : undefined;
  }
}
