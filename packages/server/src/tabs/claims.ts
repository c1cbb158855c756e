import {
  type Actor,
  type Claim,
  type HeadChange,
  type InteractionId,
  type InteractionRequest,
  type OpenPrompt,
  personOf,
  type SessionId,
} from '@parleyhq/core';
import type { Client } from './client.ts';
import type { Inbox } from './inbox.ts';

/** How long somebody is on a prompt, in ms, unless they say so again. */
const claimMs = 5 * 60_000;

interface ClaimsOptions {
  readonly clients: ReadonlySet<Client>;
  readonly inbox: Pick<Inbox, 'isFor'>;
  readonly now: () => number;
}

interface Claimed extends Claim {
  readonly sessionId: SessionId;
  readonly request: InteractionRequest;
}

/**
 * Who is on which prompt: the newest of them, told to everybody who may answer it. It is never stored, decides nothing and
 * keeps nobody from answering (TEAM4).
 */
export class Claims {
  readonly #options: ClaimsOptions;
  readonly #claims = new Map<string, Claimed>();

  constructor(options: ClaimsOptions) {
    this.#options = options;
  }

  /** Says that somebody is on a prompt, or is no longer. Only whose claim it is gives it up. */
  claim(
    sessionId: SessionId,
    { request }: Pick<OpenPrompt, 'request'>,
    { by, release }: { by: Actor; release: boolean },
  ): void {
    const key = keyOf(sessionId, request.interactionId);
    const current = this.#claims.get(key);
    const isOwn = current !== undefined && personOf(current.by) === personOf(by);
    if (release && !isOwn) return;
    const now = this.#options.now();
    const claimed = { sessionId, request, by, until: new Date(release ? now : now + claimMs).toISOString() };
    if (release) this.#claims.delete(key);
    else this.#claims.set(key, claimed);
    this.#dropOld(now);
    for (const client of this.#options.clients) this.#tell(client, claimed);
  }

  /** Tells a client that has just come who is on what. */
  tellAll(client: Client): void {
    this.#dropOld(this.#options.now());
    for (const claimed of this.#claims.values()) this.#tell(client, claimed);
  }

  /** What is settled needs nobody. */
  follow({ sessionId, prompts: { settled } }: HeadChange): void {
    if (this.#claims.size === 0) return;
    for (const { request } of settled) this.#claims.delete(keyOf(sessionId, request.interactionId));
  }

  #tell(client: Client, { sessionId, request, by, until }: Claimed): void {
    if (!this.#options.inbox.isFor(client.principal, sessionId, request)) return;
    client.send({ type: 'claimed', sessionId, interactionId: request.interactionId, by, until });
  }

  #dropOld(now: number): void {
    for (const [key, { until }] of this.#claims) if (Date.parse(until) <= now) this.#claims.delete(key);
  }
}

function keyOf(sessionId: SessionId, interactionId: InteractionId): string {
  return `${sessionId} ${interactionId}`;
}
