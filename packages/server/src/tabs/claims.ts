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
import type { ClaimMessage, TellNodes } from './node-message.ts';

/** How long somebody is on a prompt, in ms, unless they say so again. */
const claimMs = 5 * 60_000;

interface ClaimsOptions {
  readonly clients: ReadonlySet<Client>;
  readonly inbox: Pick<Inbox, 'isFor'>;
  readonly now: () => number;
  /** Only where there may be other nodes (OPS4). */
  readonly tellNodes: TellNodes | undefined;
}

type Place = Pick<ClaimMessage, 'sessionId' | 'seq'>;

interface Claimed extends Claim, Place {
  readonly request: InteractionRequest;
  /** Somebody at another node is on it. */
  readonly isHeard: boolean;
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
    place: Place,
    { request }: Pick<OpenPrompt, 'request'>,
    { by, release }: { by: Actor; release: boolean },
  ): void {
    const current = this.#claims.get(keyOf(place.sessionId, request.interactionId));
    const isOwn = current !== undefined && personOf(current.by) === personOf(by);
    if (release && !isOwn) return;
    const now = this.#options.now();
    const until = new Date(release ? now : now + claimMs).toISOString();
    const claimed = { ...place, request, by, until, isHeard: false };
    this.#keep(claimed);
    this.#tellNodes(claimed);
  }

  /** A claim, or the end of one, at another node. */
  hear({ sessionId, seq, by, leftMs }: ClaimMessage, { request }: Pick<OpenPrompt, 'request'>): void {
    const until = new Date(this.#options.now() + leftMs).toISOString();
    this.#keep({ sessionId, seq, request, by, until, isHeard: true });
  }

  /** Another node has come and knows none of them. */
  retell(): void {
    this.#dropOld(this.#options.now());
    for (const claimed of this.#claims.values()) if (!claimed.isHeard) this.#tellNodes(claimed);
  }

  #keep(claimed: Claimed): void {
    this.#claims.set(keyOf(claimed.sessionId, claimed.request.interactionId), claimed);
    this.#dropOld(this.#options.now()); // one that was given up is old
    for (const client of this.#options.clients) this.#tell(client, claimed);
  }

  #tellNodes({ sessionId, seq, request: { interactionId }, by, until }: Claimed): void {
    const leftMs = Math.max(0, Date.parse(until) - this.#options.now());
    this.#options.tellNodes?.({ kind: 'claim', sessionId, seq, interactionId, by, leftMs });
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
